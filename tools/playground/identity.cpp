#include "playground/identity.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <memory>
#include <utility>

#include "base/io/atomic_file.h"
#include "tls/serving_certificate.h"

namespace capstan::playground {
namespace {

template <class T, auto kFree>
struct Freeing {
  void operator()(T* object) const { kFree(object); }
};
using ContextPtr = std::unique_ptr<SSL_CTX, Freeing<SSL_CTX, SSL_CTX_free>>;
using MemoryPtr = std::unique_ptr<BIO, Freeing<BIO, BIO_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, Freeing<EVP_PKEY, EVP_PKEY_free>>;
using CertificatePtr = std::unique_ptr<X509, Freeing<X509, X509_free>>;

MemoryPtr Reading(const std::string& pem) {
  return MemoryPtr(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

// Whoever has the key may come in; the key cannot be told from the token.
std::string TokenOf(const std::string& key) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  const std::string text = "capstan-playground token\n" + key;
  std::string token;
  if (EVP_Digest(text.data(), text.size(), digest, &size, EVP_sha256(), nullptr) != 1) return token;
  for (unsigned int i = 0; i < size; ++i) {
    token += "0123456789abcdef"[digest[i] >> 4];
    token += "0123456789abcdef"[digest[i] & 15];
  }
  return token;
}

Result<Identity> NewIdentity() {
  auto pem = manager::NewSelfSignedCertificate("localhost");
  if (!pem) return pem.status();
  Identity identity{std::move(pem->certificate), std::move(pem->key), {}};
  identity.token = TokenOf(identity.key);
  return identity;
}

// The part of `text` between the lines that begin and end this kind of thing.
std::string Section(const std::string& text, const std::string& name) {
  const std::string end_line = "-----END " + name + "-----\n";
  const size_t begin = text.find("-----BEGIN " + name + "-----\n");
  const size_t end = text.find(end_line);
  if (begin == std::string::npos || end == std::string::npos || end < begin) return {};
  return text.substr(begin, end + end_line.size() - begin);
}

}  // namespace

Status UseIdentity(ssl_ctx_st* context, const Identity& identity) {
  const CertificatePtr certificate(
      PEM_read_bio_X509(Reading(identity.certificate).get(), nullptr, nullptr, nullptr));
  const KeyPtr key(PEM_read_bio_PrivateKey(Reading(identity.key).get(), nullptr, nullptr, nullptr));
  const bool used =
      certificate && key && SSL_CTX_use_certificate(context, certificate.get()) == 1 &&
      SSL_CTX_use_PrivateKey(context, key.get()) == 1 && SSL_CTX_check_private_key(context) == 1;
  ERR_clear_error();
  return used ? Status::Ok() : Status::InvalidArgument("no certificate and key to serve with");
}

Result<Identity> LoadOrMakeIdentity(const std::string& file) {
  if (file.empty()) return NewIdentity();
  auto content = io::ReadWholeFile(file);
  if (content) {
    Identity identity{Section(*content, "CERTIFICATE"), Section(*content, "PRIVATE KEY"), {}};
    const ContextPtr trial(SSL_CTX_new(TLS_server_method()));
    if (Status status = UseIdentity(trial.get(), identity); !status.ok()) {
      return status.WithContext(file);
    }
    identity.token = TokenOf(identity.key);
    return identity;
  }
  if (!content.status().IsNotFound()) return content.status();
  auto identity = NewIdentity();
  if (!identity) return identity;
  const Status written = io::WriteFileAtomically(file, identity->certificate + identity->key, 0600);
  if (!written.ok()) return written;
  return identity;
}

}  // namespace capstan::playground
