#pragma once

/// Certificates and private keys, in PEM and DER.
///
/// Threads: all functions may be called from any thread. They leave OpenSSL's error queue empty.

#include <string>
#include <string_view>
#include <vector>

#include <capstan/runtime/status.h>

#include "base/tls/openssl_ptr.h"

namespace capstan::tls {

/// A certificate (or a chain, the server's own first) and its key in PEM.
struct CertificatePem {
  std::string certificate;
  std::string key;
};

/// A new P-256 key. Null, with an error on OpenSSL's queue, when it cannot be made.
KeyPtr NewKey();

/// A key and a certificate for `host` and this machine's loopback names, signed by itself and valid
/// for a year.
Result<CertificatePem> NewSelfSignedCertificate(const std::string& host);

/// The certificates of a bundle, in order; other PEM blocks are skipped. No certificate, or one
/// that does not decode, is an InvalidArgument.
Result<std::vector<X509Ptr>> ParseCertificates(std::string_view pem);
/// The first private key. A key with a pass phrase is an InvalidArgument.
Result<KeyPtr> ParsePrivateKey(std::string_view pem);
/// Whether `key` belongs to `certificate`.
Status CheckKeyMatches(X509& certificate, EVP_PKEY& key);

/// Null when `der` is no certificate, or more than one.
X509Ptr CertificateFromDer(std::string_view der);
/// "" when it cannot be encoded.
std::string DerOf(const X509& certificate);
std::string PemOf(const X509& certificate);
/// PKCS #8, not encrypted.
std::string PemOf(const EVP_PKEY& key);

}  // namespace capstan::tls
