#include "playground/identity.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <utility>

#include "base/io/atomic_file.h"
#include "base/io/whole_file.h"
#include "base/text/hex.h"
#include "base/tls/certificate.h"
#include "base/tls/openssl_ptr.h"
#include "base/tls/sha256.h"

namespace capstan::playground {
namespace {

// The token is derived from the key, so the holder of the key can authenticate. The key cannot be
// derived from the token.
std::string TokenOf(const std::string& key) {
  return text::Hexadecimal(tls::Sha256("capstan-playground token\n" + key));
}

Result<Identity> NewIdentity() {
  auto pem = tls::NewSelfSignedCertificate("localhost");
  if (!pem) return pem.status();
  Identity identity{std::move(pem->certificate), std::move(pem->key), {}};
  identity.token = TokenOf(identity.key);
  return identity;
}

// Returns the PEM block with this label.
std::string Section(const std::string& text, const std::string& name) {
  const std::string end_line = "-----END " + name + "-----\n";
  const size_t begin = text.find("-----BEGIN " + name + "-----\n");
  const size_t end = text.find(end_line);
  if (begin == std::string::npos || end == std::string::npos || end < begin) return {};
  return text.substr(begin, end + end_line.size() - begin);
}

}  // namespace

Status UseIdentity(SSL_CTX* context, const Identity& identity) {
  const auto chain = tls::ParseCertificates(identity.certificate);
  const auto key = tls::ParsePrivateKey(identity.key);
  ERR_clear_error();
  const bool used = chain && key && SSL_CTX_use_certificate(context, chain->front().get()) == 1 &&
                    SSL_CTX_use_PrivateKey(context, key->get()) == 1 &&
                    SSL_CTX_check_private_key(context) == 1;
  ERR_clear_error();
  return used ? Status::Ok() : Status::InvalidArgument("no certificate and key to serve with");
}

Result<Identity> LoadOrMakeIdentity(const std::string& file) {
  if (file.empty()) return NewIdentity();
  const auto content = io::ReadFileIfAny(file);
  if (!content) return content.status();
  if (const auto& text = *content) {
    Identity identity{Section(*text, "CERTIFICATE"), Section(*text, "PRIVATE KEY"), {}};
    const tls::ContextPtr trial(SSL_CTX_new(TLS_server_method()));
    if (Status status = UseIdentity(trial.get(), identity); !status.ok()) {
      return status.WithContext(file);
    }
    identity.token = TokenOf(identity.key);
    return identity;
  }
  auto identity = NewIdentity();
  if (!identity) return identity;
  const Status written = io::WriteFileAtomically(file, identity->certificate + identity->key, 0600);
  if (!written.ok()) return written;
  return identity;
}

}  // namespace capstan::playground
