#pragma once

/// Owning pointers to OpenSSL objects, and the text of OpenSSL errors.
///
/// OpenSSL keeps one error queue per thread. A caller clears the queue (ERR_clear_error) before
/// it calls OpenSSL, so that it does not report the error of another connection.

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

/// Returns the reason of the newest error on this thread's queue, or `fallback`. Clears the queue.
std::string TakeError(const char* fallback);
/// Like TakeError, but for the oldest error, which is the root cause.
std::string TakeFirstError(const char* fallback);

/// Returns the content of a memory BIO.
std::string TextOf(BIO& memory);

}  // namespace capstan::tls
