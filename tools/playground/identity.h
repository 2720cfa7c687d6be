#pragma once

/// Identity: the serving certificate of a playground, and the token of its clients.

#include <string>

#include <capstan/runtime/status.h>

struct ssl_ctx_st;

namespace capstan::playground {

struct Identity {
  std::string certificate;  ///< PEM
  std::string key;          ///< PEM
  std::string token;
};

/// Returns the identity in `file`, so that clients still trust the playground after a restart. If
/// the file does not exist, a new identity is created and stored there. With "" a new identity is
/// created and not stored. The error names the file.
Result<Identity> LoadOrMakeIdentity(const std::string& file);

/// Configures `context` to serve with this certificate.
Status UseIdentity(ssl_ctx_st* context, const Identity& identity);

}  // namespace capstan::playground
