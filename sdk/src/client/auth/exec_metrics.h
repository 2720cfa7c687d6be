#pragma once

/// The metrics of credential plugins, with client-go's names.

#include <optional>
#include <string_view>

#include <capstan/runtime/clock.h>
#include <capstan/runtime/status.h>

namespace capstan::client {

/// Counts a run of a plugin. `exit_code`: set if the plugin ended by itself.
void CountExecCall(const Status& status, std::optional<int> exit_code);

/// The client certificate of one plugin: when it expires, and its age when it is replaced.
///
/// Threads: Use from one thread at a time.
class ExecCertificateMetrics {
 public:
  explicit ExecCertificateMetrics(const Clock& clock);
  ~ExecCertificateMetrics();
  ExecCertificateMetrics(const ExecCertificateMetrics&) = delete;
  ExecCertificateMetrics& operator=(const ExecCertificateMetrics&) = delete;

  /// Sets the certificate that is used from now on, in PEM; "" for none.
  void Use(std::string_view cert_pem);

 private:
  const Clock& clock_;
  std::optional<WallTime> valid_from_;
};

}  // namespace capstan::client
