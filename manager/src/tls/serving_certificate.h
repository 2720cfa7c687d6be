#pragma once

/// ServingCertificate: the certificate of a listener, with its chain and its private key.
///
/// Threads: immutable after construction.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/runtime/clock.h>
#include <capstan/runtime/status.h>

#include "base/tls/certificate.h"

namespace capstan::manager {

class ServingCertificate {
 public:
  /// The names of certificate and key in errors, such as "--tls-cert-file /etc/tls.crt".
  struct Titles {
    std::string certificate = "certificate";
    std::string key = "key";
  };
  static Result<std::shared_ptr<const ServingCertificate>> FromPem(const tls::CertificatePem& pem,
                                                                   const Titles& titles);

  /// Sets the certificate on a server session. Returns false on failure, with an error on OpenSSL's
  /// queue.
  bool Use(SSL* session) const;
  /// Whether the certificate is valid for the host name `host`.
  bool IsFor(const std::string& host) const;
  bool IsValidFor(Duration from_now) const;
  /// Returns its DNS names in lower case: the common name, unless that is an IP address, and the
  /// subject alternative names.
  std::vector<std::string> Names() const;

 private:
  std::shared_ptr<X509> leaf_;
  std::vector<std::shared_ptr<X509>> issuers_;
  std::shared_ptr<EVP_PKEY> key_;
};

using ServingCertificatePtr = std::shared_ptr<const ServingCertificate>;

}  // namespace capstan::manager
