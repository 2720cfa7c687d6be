#include "client/auth/in_cluster.h"

#include <cstdlib>
#include <string_view>

#include <capstan/runtime/format.h>

#include "base/io/whole_file.h"
#include "base/text/ascii.h"
#include "base/tls/certificate.h"
#include "client/http/url.h"

namespace capstan {
namespace client {
namespace {

constexpr const char* kServiceAccountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

Result<RestConfig> InClusterConfigFrom(const std::string& folder) {
  constexpr std::string_view kContext = "in-cluster configuration";
  std::string host = Variable("KUBERNETES_SERVICE_HOST");
  const std::string port = Variable("KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty()) {
    return Status::InvalidArgument(
        Format("{}: the environment variable {} is not set; the process does not run in a pod",
               kContext, host.empty() ? "KUBERNETES_SERVICE_HOST" : "KUBERNETES_SERVICE_PORT"));
  }
  if (host.find(':') != std::string::npos) host = "[" + host + "]";
  const Result<ServerUrl> server = ParseServerUrl("https://" + host + ":" + port, true);
  if (!server) {
    return server.status().WithContext("KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT");
  }
  RestConfig config;
  config.server = server->ToString();
  config.bearer_token_file = folder + "/token";
  config.tls.ca_file = folder + "/ca.crt";
  const Result<std::string> token = io::ReadWholeFile(config.bearer_token_file);
  if (!token) return token.status().WithContext(kContext);
  if (text::Trimmed(*token).empty()) {
    return Status::InvalidArgument(
        Format("{}: {} contains no token", kContext, config.bearer_token_file));
  }
  const Result<std::string> authority = io::ReadWholeFile(config.tls.ca_file);
  if (!authority) return authority.status().WithContext(kContext);
  if (const auto certificates = tls::ParseCertificates(*authority); !certificates) {
    return certificates.status().WithContext(Format("{}: {}", kContext, config.tls.ca_file));
  }
  // Only the namespace file may be missing.
  if (const Result<std::string> name = io::ReadWholeFile(folder + "/namespace")) {
    config.namespace_ = text::Trimmed(*name);
  }
  return config;
}

}  // namespace client

Result<RestConfig> InClusterConfig() {
  return client::InClusterConfigFrom(client::kServiceAccountFolder);
}

}  // namespace capstan
