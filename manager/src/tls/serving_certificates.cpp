#include "tls/serving_certificates.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include <capstan/log/log.h>
#include <capstan/runtime/format.h>

#include "base/text/ascii.h"
#include "tls/kept_certificate.h"

namespace capstan::manager {
namespace {

constexpr Duration kCheckPeriod = std::chrono::seconds(1);

std::vector<std::string> PartsOfSniFlag(std::string_view text) {
  std::vector<std::string> parts;
  while (true) {
    const size_t comma = text.find(',');
    parts.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

/// Returns "*.example.com" for "www.example.com", or "" if there is none.
std::string WildcardFor(const std::string& name) {
  const size_t dot = name.find('.');
  return dot == std::string::npos || dot == 0 ? "" : "*" + name.substr(dot);
}

bool HasDnsName(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

ServingCertificates::Stamp ServingCertificates::StampOf(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return {};
  return {.modified_ns = int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec,
          .size = info.st_size,
          .inode = info.st_ino};
}

Status ServingCertificates::LoadSource(Source& source) {
  source.certificate_stamp = StampOf(source.certificate_file);
  source.key_stamp = StampOf(source.key_file);
  auto loaded = [&]() -> Result<ServingCertificatePtr> {
    if (!source.directory.empty()) return StoredCertificate(source.directory, source.host);
    if (source.host.empty()) {
      return LoadCertificate({source.certificate_file, source.key_file},
                             {source.certificate_title, source.key_title});
    }
    auto pem = tls::NewSelfSignedCertificate(source.host);
    if (!pem) return pem.status();
    LogInfo("Generated self-signed cert in-memory");
    return ServingCertificate::FromPem(*pem, {});
  }();
  if (!loaded) return loaded.status();
  // A stored certificate may just have been written.
  if (!source.directory.empty()) {
    source.certificate_stamp = StampOf(source.certificate_file);
    source.key_stamp = StampOf(source.key_file);
  }
  source.current = *std::move(loaded);
  LogV(2, "Loaded a new cert/key pair", {{"name", source.name}});
  return Status::Ok();
}

Result<ServingCertificates::Source> ServingCertificates::DefaultSource(
    const ServingOptions& options, const std::string& host) {
  if (options.tls_cert_file.empty() != options.tls_private_key_file.empty()) {
    return Status::InvalidArgument(
        "--tls-cert-file and --tls-private-key-file must be given together");
  }
  Source source;
  if (!options.tls_cert_file.empty()) {
    source.certificate_title = "--tls-cert-file";
    source.key_title = "--tls-private-key-file";
    source.certificate_file = options.tls_cert_file;
    source.key_file = options.tls_private_key_file;
  } else {
    source.host = host;
    source.directory = options.cert_dir;
    if (!options.cert_dir.empty()) {
      CertificateFiles files = StoredCertificateFiles(options.cert_dir);
      source.certificate_file = std::move(files.certificate);
      source.key_file = std::move(files.key);
    }
  }
  source.name = source.certificate_file.empty()
                    ? "Generated self signed cert"
                    : Format("serving-cert::{}::{}", source.certificate_file, source.key_file);
  return source;
}

Result<ServingCertificates::Source> ServingCertificates::SniSource(const std::string& flag) {
  const size_t colon = flag.find(':');
  std::vector<std::string> files = PartsOfSniFlag(std::string_view(flag).substr(0, colon));
  Source source;
  if (colon != std::string::npos) source.names = PartsOfSniFlag(flag.substr(colon + 1));
  if (files.size() != 2 || files[0].empty() || files[1].empty() || HasDnsName(source.names, "")) {
    return Status::InvalidArgument(Format(
        "--tls-sni-cert-key \"{}\" is not \"certificate,key\" or \"certificate,key:name,name\"",
        flag));
  }
  for (std::string& name : source.names) name = text::Lower(name);
  source.certificate_title = "--tls-sni-cert-key certificate";
  source.key_title = "--tls-sni-cert-key key";
  source.certificate_file = std::move(files[0]);
  source.key_file = std::move(files[1]);
  source.name = Format("sni-serving-cert::{}::{}", source.certificate_file, source.key_file);
  return source;
}

Result<std::unique_ptr<ServingCertificates>> ServingCertificates::Load(
    const ServingOptions& options, const std::string& host) {
  auto certificates = std::make_unique<ServingCertificates>();
  auto first = DefaultSource(options, host);
  if (!first) return first.status();
  certificates->sources_.push_back(*std::move(first));
  for (const std::string& flag : options.tls_sni_cert_keys) {
    auto source = SniSource(flag);
    if (!source) return source.status();
    certificates->sources_.push_back(*std::move(source));
  }
  for (Source& source : certificates->sources_) {
    if (Status status = LoadSource(source); !status.ok()) return status;
  }
  return certificates;
}

void ServingCertificates::RefreshSource(Source& source) {
  const bool changed = source.certificate_stamp != StampOf(source.certificate_file) ||
                       source.key_stamp != StampOf(source.key_file);
  const bool ends = !source.host.empty() && !source.current->IsValidFor(kRenewalMargin);
  if (!changed && (!ends || source.renewal_failed)) return;
  const Status status = LoadSource(source);
  source.renewal_failed = !status.ok();
  if (!status.ok()) {
    LogError(status, "Cannot load the new cert/key pair, keeping the current one",
             {{"name", source.name}});
  }
}

void ServingCertificates::Refresh(MonotonicTime now) {
  if (now < next_check_) return;
  next_check_ = now + kCheckPeriod;
  for (Source& source : sources_) RefreshSource(source);
}

const ServingCertificate* ServingCertificates::Named(const std::string& name) const {
  const auto sni_begin = sources_.begin() + 1;
  auto found = std::find_if(sni_begin, sources_.end(),
                            [&](const Source& source) { return HasDnsName(source.names, name); });
  if (found == sources_.end()) {
    found = std::find_if(sni_begin, sources_.end(), [&](const Source& source) {
      return source.names.empty() && HasDnsName(source.current->Names(), name);
    });
  }
  return found == sources_.end() ? nullptr : found->current.get();
}

const ServingCertificate& ServingCertificates::For(std::string_view server_name,
                                                   std::string_view local_address) const {
  const ServingCertificate* found = nullptr;
  if (sources_.size() > 1) {
    std::string name = text::Lower(server_name.empty() ? local_address : server_name);
    if (name.ends_with('.')) name.pop_back();
    found = Named(name);
    if (!found && !server_name.empty()) found = Named(WildcardFor(name));
  }
  return found ? *found : *sources_.front().current;
}

}  // namespace capstan::manager
