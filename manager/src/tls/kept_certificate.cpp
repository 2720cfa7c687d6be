#include "tls/kept_certificate.h"

#include <unistd.h>

#include <filesystem>
#include <system_error>

#include <capstan/log/log.h>

#include "base/io/atomic_file.h"
#include "base/io/whole_file.h"

namespace capstan::manager {
namespace {

/// The old certificate is removed first and the new one is written last. After a crash there is
/// either a complete pair, or no certificate, which counts as no pair.
Status WritePair(const CertificateFiles& files, const tls::CertificatePem& pem) {
  if (unlink(files.certificate.c_str()) != 0 && errno != ENOENT) {
    return Status::InvalidArgument(files.certificate +
                                   ": cannot remove: " + std::generic_category().message(errno));
  }
  if (Status status = io::WriteFileAtomically(files.key, pem.key, 0600); !status.ok())
    return status;
  return io::WriteFileAtomically(files.certificate, pem.certificate, 0644);
}

Result<ServingCertificatePtr> MakePair(const CertificateFiles& files, const std::string& host) {
  auto pem = tls::NewSelfSignedCertificate(host);
  if (!pem) return pem.status();
  if (Status status = WritePair(files, *pem); !status.ok()) return status;
  LogInfo("Generated self-signed cert", {{"cert", files.certificate}, {"key", files.key}});
  return ServingCertificate::FromPem(*pem, {});
}

Result<std::string> ReadPem(const std::string& path) {
  auto text = io::ReadFileIfAny(path);
  if (!text) return text.status();
  if (!*text) return Status::InvalidArgument(path + ": no such file");
  return **std::move(text);
}

}  // namespace

CertificateFiles StoredCertificateFiles(const std::string& directory) {
  const std::string stem =
      (std::filesystem::path(directory) / "capstan-controller-manager").string();
  return {stem + ".crt", stem + ".key"};
}

Result<ServingCertificatePtr> LoadCertificate(const CertificateFiles& files,
                                              const ServingCertificate::Titles& titles) {
  auto certificate = ReadPem(files.certificate);
  if (!certificate) return certificate.status().WithContext(titles.certificate);
  auto key = ReadPem(files.key);
  if (!key) return key.status().WithContext(titles.key);
  return ServingCertificate::FromPem(
      {*std::move(certificate), *std::move(key)},
      {titles.certificate + " " + files.certificate, titles.key + " " + files.key});
}

Result<ServingCertificatePtr> StoredCertificate(const std::string& directory,
                                                const std::string& host) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    return Status::InvalidArgument("--cert-dir " + directory + ": " + error.message());
  }
  const CertificateFiles files = StoredCertificateFiles(directory);
  if (!std::filesystem::exists(files.certificate, error)) {
    auto made = MakePair(files, host);
    return made ? made : made.status().WithContext("--cert-dir");
  }
  auto stored = LoadCertificate(files, {"--cert-dir", "--cert-dir"});
  if (!stored || ((*stored)->IsFor(host) && (*stored)->IsValidFor(kRenewalMargin))) return stored;
  LogInfo("The kept self-signed cert is for another host or expires soon",
          {{"cert", files.certificate}, {"host", host}});
  auto made = MakePair(files, host);
  return made ? made : made.status().WithContext("--cert-dir");
}

}  // namespace capstan::manager
