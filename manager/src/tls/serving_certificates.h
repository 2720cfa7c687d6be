#pragma once

/// ServingCertificates: selects the certificate that an HTTPS listener presents to a client.
/// Certificates are kept up to date.
///
/// The default certificate is a pair of files, or a self-signed certificate stored in --cert-dir
/// or in memory. The pairs of --tls-sni-cert-key are selected by server name. Changed files are
/// loaded again. If the new files are not a valid pair, the old pair stays in use. Self-signed
/// certificates are renewed before they expire.
///
/// Threads: used by one thread at a time.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/runtime/clock.h>
#include <capstan/runtime/status.h>

#include "config/options.h"
#include "tls/serving_certificate.h"

namespace capstan::manager {

class ServingCertificates {
 public:
  /// Errors name the flag, the file and the reason. `host` is the host name of self-signed
  /// certificates.
  static Result<std::unique_ptr<ServingCertificates>> Load(const ServingOptions& options,
                                                           const std::string& host);

  /// Reloads changed files. Checks at most once per second.
  void Refresh(MonotonicTime now);

  /// Returns the certificate for a client that requests `server_name`, or, if that is "", that
  /// connected to `local_address`. Names in a flag take precedence over names in certificates, and
  /// exact names over wildcards.
  const ServingCertificate& For(std::string_view server_name, std::string_view local_address) const;

 private:
  /// Metadata that changes when the content of a file changes. A missing file has the default
  /// stamp.
  struct Stamp {
    int64_t modified_ns = 0;
    int64_t size = 0;
    uint64_t inode = 0;
    bool operator==(const Stamp&) const = default;
  };
  struct Source {
    std::string name;  // as in kube-controller-manager: "serving-cert::a.crt::a.key"
    std::string certificate_title, key_title;
    std::string certificate_file, key_file;  // "" = in memory
    std::string host;                        // "" = not self-signed
    std::string directory;                   // of a stored self-signed certificate
    std::vector<std::string> names;          // from the flag, in lower case
    Stamp certificate_stamp, key_stamp;
    ServingCertificatePtr current;
    bool renewal_failed = false;
  };

  static Result<Source> DefaultSource(const ServingOptions& options, const std::string& host);
  static Result<Source> SniSource(const std::string& flag);
  static Stamp StampOf(const std::string& path);
  /// Records the stamps before it reads the files, so that a concurrent write is noticed by the
  /// next check.
  static Status LoadSource(Source& source);
  static void RefreshSource(Source& source);
  const ServingCertificate* Named(const std::string& name) const;

  std::vector<Source> sources_;  // the first is the default
  MonotonicTime next_check_{};
};

}  // namespace capstan::manager
