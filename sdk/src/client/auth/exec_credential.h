#pragma once

// Credential plugins: programs that print an ExecCredential.

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
// Checks the parts of `exec` that need no run.
std::optional<FieldError> CheckExecConfig(const ExecConfig& exec);
// What a plugin finds in KUBERNETES_EXEC_INFO. `ca_pem` is the cluster's authority, or "".
std::string ExecInfo(const RestConfig& config, std::string_view ca_pem, bool interactive);
// Reads what a plugin has printed. It must be of `api_version`.
Result<ExecAnswer> ParseExecCredential(std::string text, std::string_view api_version);

// Runs the plugin when there is no credential yet, when it has expired and after a 401; one run
// serves all who wait for it.
Result<std::unique_ptr<Credentials>> NewExecCredentials(const RestConfig& config, Runtime& runtime);

}  // namespace capstan::client
