#pragma once

/// ServingCertificates: what an HTTPS listener shows to whom, always in its newest form.
///
/// The default is a pair of files, or a self-signed certificate that is kept in --cert-dir or in
/// memory; the pairs of --tls-sni-cert-key are for clients that ask for a name. Files that change
/// are loaded again; while the new ones are no pair the old ones stay. Self-signed ones are made
/// anew before they end.
///
/// Threads: one at a time.

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
  /// Errors name the flag, the file and the reason. `host` is what self-signed ones are for.
  static Result<std::unique_ptr<ServingCertificates>> Load(const ServingOptions& options,
                                                           const std::string& host);

  /// Looks at the files, once a second at most.
  void Refresh(MonotonicTime now);

  /// For a client that asks for `server_name`, or, when that is "", has reached `local_address`.
  /// Names that a flag says come before those of certificates, and exact ones before wildcards.
  const ServingCertificate& For(std::string_view server_name, std::string_view local_address) const;

 private:
  /// What tells one content of a file from the next, without reading it; that of no file is {}.
  struct Stamp {
    int64_t modified_ns = 0;
    int64_t size = 0;
    uint64_t inode = 0;
    bool operator==(const Stamp&) const = default;
  };
  struct Source {
    std::string name;  // as the reference calls it: "serving-cert::a.crt::a.key"
    std::string certificate_title, key_title;
    std::string certificate_file, key_file;  // "" = in memory
    std::string host;                        // "" = not self-signed
    std::string directory;                   // of a self-signed one that is kept
    std::vector<std::string> names;          // as the flag says; in lower case
    Stamp certificate_stamp, key_stamp;
    ServingCertificatePtr current;
    bool renewal_failed = false;
  };

  static Result<Source> DefaultSource(const ServingOptions& options, const std::string& host);
  static Result<Source> SniSource(const std::string& flag);
  static Stamp StampOf(const std::string& path);
  /// Remembers the stamps before it reads: what is written meanwhile is seen the next time.
  static Status LoadSource(Source& source);
  static void RefreshSource(Source& source);
  const ServingCertificate* Named(const std::string& name) const;

  std::vector<Source> sources_;  // the first is the default
  MonotonicTime next_check_{};
};

}  // namespace capstan::manager
