#pragma once

// Certificates and keys in PEM.

#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/runtime/status.h>

namespace capstan::client {

template <auto kFree>
struct OpenSslDeleter {
  template <class T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using X509Ptr = std::unique_ptr<X509, OpenSslDeleter<X509_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, OpenSslDeleter<EVP_PKEY_free>>;
using BioPtr = std::unique_ptr<BIO, OpenSslDeleter<BIO_free_all>>;

// The certificates of a bundle, in order; other PEM blocks are skipped. No certificate, or one that
// does not decode, is an InvalidArgument.
Result<std::vector<X509Ptr>> ParseCertificates(std::string_view pem);
// The first private key. A key with a pass phrase is an InvalidArgument.
Result<KeyPtr> ParsePrivateKey(std::string_view pem);
// Whether `key` belongs to `certificate`.
Status CheckKeyMatches(X509& certificate, EVP_PKEY& key);

// Takes the oldest error off this thread's OpenSSL queue and clears the rest: its reason, or
// `fallback`.
std::string TakeOpenSslError(std::string_view fallback);

}  // namespace capstan::client
