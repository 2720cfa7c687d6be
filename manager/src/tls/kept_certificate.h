#pragma once

/// The self-signed certificate stored in --cert-dir.

#include <string>

#include <capstan/runtime/status.h>

#include "tls/serving_certificate.h"

namespace capstan::manager {

struct CertificateFiles {
  std::string certificate;
  std::string key;
};

/// The paths of the certificate and key files in `directory`.
CertificateFiles StoredCertificateFiles(const std::string& directory);

/// Returns the certificate stored in `directory`. The directory is created if it is missing. A
/// certificate for another host, or one that expires within kRenewalMargin, is replaced. Errors
/// name the file.
Result<ServingCertificatePtr> StoredCertificate(const std::string& directory,
                                                const std::string& host);

/// Loads two PEM files. Errors refer to each file by its text in `titles`.
Result<ServingCertificatePtr> LoadCertificate(const CertificateFiles& files,
                                              const ServingCertificate::Titles& titles);

/// How long before expiry a self-signed certificate is replaced.
inline constexpr Duration kRenewalMargin = std::chrono::hours(7 * 24);

}  // namespace capstan::manager
