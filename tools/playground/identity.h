#pragma once

/// Identity: the certificate that a playground serves with, and the token that lets clients in.

#include <string>

#include <capstan/runtime/status.h>

struct ssl_ctx_st;

namespace capstan::playground {

struct Identity {
  std::string certificate;  ///< PEM
  std::string key;          ///< PEM
  std::string token;
};

/// The identity in `file`, so that clients know the playground again after a restart; a new one,
/// which is put there, when there is no such file. With "" a new one that is kept nowhere. The
/// error names the file.
Result<Identity> LoadOrMakeIdentity(const std::string& file);

/// Lets `context` serve with it.
Status UseIdentity(ssl_ctx_st* context, const Identity& identity);

}  // namespace capstan::playground
