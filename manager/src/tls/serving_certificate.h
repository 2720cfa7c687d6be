#pragma once

/// ServingCertificate: a certificate with those that signed it, and its key, as a listener shows
/// them.
///
/// Threads: immutable once made.

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
  /// What errors call the two, such as "--tls-cert-file /etc/tls.crt".
  struct Titles {
    std::string certificate = "certificate";
    std::string key = "key";
  };
  static Result<std::shared_ptr<const ServingCertificate>> FromPem(const tls::CertificatePem& pem,
                                                                   const Titles& titles);

  /// Makes the server's end of a connection show it. False with an error on OpenSSL's queue.
  bool Use(SSL* session) const;
  /// Whether a client that asks for `host` takes it.
  bool IsFor(const std::string& host) const;
  bool IsValidFor(Duration from_now) const;
  /// The DNS names it is for, in lower case: the common name, unless it is an address, and the
  /// alternative names.
  std::vector<std::string> Names() const;

 private:
  std::shared_ptr<X509> leaf_;
  std::vector<std::shared_ptr<X509>> issuers_;
  std::shared_ptr<EVP_PKEY> key_;
};

using ServingCertificatePtr = std::shared_ptr<const ServingCertificate>;

}  // namespace capstan::manager
