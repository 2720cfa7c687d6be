#pragma once

/// Certificates and private keys in PEM and DER.
///
/// Threads: all functions may be called from any thread. They leave OpenSSL's error queue empty.

#include <string>
#include <string_view>
#include <vector>

#include <capstan/runtime/status.h>

#include "base/tls/openssl_ptr.h"

namespace capstan::tls {

/// A certificate (or a chain that starts with the server's own certificate) and its private key, in
/// PEM.
struct CertificatePem {
  std::string certificate;
  std::string key;
};

/// Creates a P-256 key. Returns null on failure, with an error on OpenSSL's queue.
KeyPtr NewKey();

/// Creates a key and a self-signed certificate that is valid for one year. Its names are `host` and
/// the loopback names of this machine.
Result<CertificatePem> NewSelfSignedCertificate(const std::string& host);

/// Returns the certificates of a bundle, in order. Other PEM blocks are skipped. A bundle without a
/// certificate, or with one that cannot be decoded, is an InvalidArgument.
Result<std::vector<X509Ptr>> ParseCertificates(std::string_view pem);
/// Returns the first private key. An encrypted key is an InvalidArgument.
Result<KeyPtr> ParsePrivateKey(std::string_view pem);
/// Returns an error if `key` is not the key of `certificate`.
Status CheckKeyMatches(X509& certificate, EVP_PKEY& key);

/// Returns null if `der` is not exactly one certificate.
X509Ptr CertificateFromDer(std::string_view der);
/// Returns "" if the certificate cannot be encoded.
std::string DerOf(const X509& certificate);
std::string PemOf(const X509& certificate);
/// Encodes as unencrypted PKCS #8.
std::string PemOf(const EVP_PKEY& key);

}  // namespace capstan::tls
