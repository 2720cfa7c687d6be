#pragma once

/// Credential plugins: programs that print an ExecCredential.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <capstan/client/rest_config.h>
#include <capstan/runtime/runtime.h>
#include <capstan/runtime/status.h>

#include "client/auth/credentials.h"

namespace capstan::client {

inline constexpr std::string_view kExecV1 = "client.authentication.k8s.io/v1";
inline constexpr std::string_view kExecV1Beta1 = "client.authentication.k8s.io/v1beta1";

struct ExecAnswer {
  Credential credential;
  std::optional<WallTime> expires;
};

struct FieldError {
  std::string field, reason;
};
/// Checks the parts of `exec` that can be checked without a run.
std::optional<FieldError> CheckExecConfig(const ExecConfig& exec);
/// The value of KUBERNETES_EXEC_INFO. `ca_pem` is the certificate authority of the cluster, or "".
std::string ExecInfo(const RestConfig& config, std::string_view ca_pem, bool interactive);
/// Parses the output of a plugin. It must be of `api_version`.
Result<ExecAnswer> ParseExecCredential(std::string text, std::string_view api_version);

/// Runs the plugin if there is no credential yet, after the credential has expired, and after a
/// 401. All waiters share one run.
Result<std::unique_ptr<Credentials>> NewExecCredentials(const RestConfig& config, Runtime& runtime);

}  // namespace capstan::client
