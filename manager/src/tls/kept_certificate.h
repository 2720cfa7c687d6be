#pragma once

/// The self-signed certificate in --cert-dir.

#include <string>

#include <capstan/runtime/status.h>

#include "tls/serving_certificate.h"

namespace capstan::manager {

struct CertificateFiles {
  std::string certificate;
  std::string key;
};

/// Where `directory` keeps the pair.
CertificateFiles KeptCertificateFiles(const std::string& directory);

/// The pair that is kept in `directory`, which is made if it is missing. One that is for another
/// host or has only days left is replaced. Errors name the file.
Result<ServingCertificatePtr> KeptCertificate(const std::string& directory,
                                              const std::string& host);

/// Loads two PEM files. Errors say the file after what `titles` call it.
Result<ServingCertificatePtr> LoadCertificate(const CertificateFiles& files,
                                              const ServingCertificate::Titles& titles);

/// How long before its end a self-signed certificate is replaced.
inline constexpr Duration kRenewalMargin = std::chrono::hours(7 * 24);

}  // namespace capstan::manager
