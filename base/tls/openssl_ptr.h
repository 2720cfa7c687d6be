#pragma once

/// Owners of OpenSSL's objects, and the text of its errors.
///
/// OpenSSL keeps a queue of errors for each thread. Whoever calls it clears the queue first
/// (ERR_clear_error), so that an error of another connection is not taken for its own.

#include <openssl/bio.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>

namespace capstan::tls {

template <auto kFree>
struct Deleter {
  template <class T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using X509Ptr = std::unique_ptr<X509, Deleter<X509_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>>;
using BioPtr = std::unique_ptr<BIO, Deleter<BIO_free_all>>;
using ContextPtr = std::unique_ptr<SSL_CTX, Deleter<SSL_CTX_free>>;
using SessionPtr = std::unique_ptr<SSL, Deleter<SSL_free>>;
using ExtensionPtr = std::unique_ptr<X509_EXTENSION, Deleter<X509_EXTENSION_free>>;
using NamesPtr = std::unique_ptr<GENERAL_NAMES, Deleter<GENERAL_NAMES_free>>;

/// The reason of the newest error on this thread's queue, or `fallback`; the queue is emptied.
std::string TakeError(const char* fallback);
/// The same of the oldest error, which is the deepest cause.
std::string TakeFirstError(const char* fallback);

/// What a memory BIO holds.
std::string TextOf(BIO& memory);

}  // namespace capstan::tls
