#include "client/auth/kubeconfig_entries.h"

#include <capstan/runtime/format.h>

#include "base/io/whole_file.h"
#include "base/tls/certificate.h"
#include "client/auth/exec_credential.h"
#include "client/http/url.h"

namespace capstan::client {
namespace {

// Reads a PEM text from one field, or from the file that another field names. Returns it for a
// check.
std::string ReadPem(FieldReader& reader, const char* data_field, const char* file_field,
                    std::string& data, std::string& file) {
  data = reader.Data(data_field);
  file = reader.Path(file_field);
  if (!data.empty() && !file.empty()) {
    reader.Fail(data_field, Format("{} is set too, only one of them is allowed", file_field));
  }
  if (file.empty()) return data;
  Result<std::string> text = io::ReadWholeFile(file);
  reader.Check(file_field, text.status());
  return text ? *std::move(text) : "";
}

constexpr std::string_view kExecExtension = "client.authentication.k8s.io/exec";

void ReadTls(FieldReader& reader, TlsConfig& tls) {
  const std::string pem = ReadPem(reader, "certificate-authority-data", "certificate-authority",
                                  tls.ca_pem, tls.ca_file);
  const char* const field =
      tls.ca_file.empty() ? "certificate-authority-data" : "certificate-authority";
  const bool has_authority = !tls.ca_pem.empty() || !tls.ca_file.empty();
  if (has_authority) reader.Check(field, tls::ParseCertificates(pem).status());
  tls.server_name = reader.String("tls-server-name");
  tls.insecure_skip_verify = reader.Bool("insecure-skip-tls-verify");
  if (tls.insecure_skip_verify && has_authority) {
    reader.Fail("insecure-skip-tls-verify", "cannot be combined with a certificate authority");
  }
}

void ReadClientCertificate(FieldReader& reader, TlsConfig& tls) {
  constexpr const char* kCertData = "client-certificate-data";
  constexpr const char* kKeyData = "client-key-data";
  const std::string cert_pem =
      ReadPem(reader, kCertData, "client-certificate", tls.client_cert_pem, tls.client_cert_file);
  const std::string key_pem =
      ReadPem(reader, kKeyData, "client-key", tls.client_key_pem, tls.client_key_file);
  const char* const cert_field = tls.client_cert_file.empty() ? kCertData : "client-certificate";
  const char* const key_field = tls.client_key_file.empty() ? kKeyData : "client-key";
  if (tls.client_cert_pem.empty() && tls.client_cert_file.empty()) return;
  if (tls.client_key_pem.empty() && tls.client_key_file.empty()) {
    return reader.Fail(kKeyData, "the client certificate needs client-key-data or client-key");
  }
  const Result<std::vector<tls::X509Ptr>> chain = tls::ParseCertificates(cert_pem);
  if (!chain) return reader.Check(cert_field, chain.status());
  const Result<tls::KeyPtr> key = tls::ParsePrivateKey(key_pem);
  if (!key) return reader.Check(key_field, key.status());
  reader.Check(key_field, tls::CheckKeyMatches(*chain->front(), **key));
}

void ReadToken(FieldReader& reader, RestConfig& config) {
  config.bearer_token = reader.String("token");
  config.bearer_token_file = reader.Path("tokenFile");
  config.username = reader.String("username");
  config.password = reader.String("password");
  if (!config.bearer_token_file.empty()) {
    const Result<std::string> token = io::ReadWholeFile(config.bearer_token_file);
    reader.Check("tokenFile", token.status());
    if (token && token->find_first_not_of(" \t\r\n") == std::string::npos) {
      reader.Fail("tokenFile", Format("{} contains no token", config.bearer_token_file));
    }
  }
  const bool basic = !config.username.empty() || !config.password.empty();
  if (basic && (!config.bearer_token.empty() || !config.bearer_token_file.empty())) {
    reader.Fail("username", "cannot be combined with a token");
  }
}

void ReadExec(FieldReader& user, const std::string& config_json, RestConfig& config) {
  FieldReader reader = user.Map("exec");
  ExecConfig exec;
  exec.api_version = reader.String("apiVersion");
  exec.command = reader.String("command");
  if (exec.command.find('/') != std::string::npos) {
    exec.command = reader.ResolvePath(exec.command);
  }
  exec.args = reader.Strings("args");
  for (FieldReader& variable : reader.List("env")) {
    exec.env.emplace_back(variable.String("name"), variable.String("value"));
  }
  exec.install_hint = reader.String("installHint");
  exec.provide_cluster_info = reader.Bool("provideClusterInfo");
  exec.interactive_mode = reader.String("interactiveMode");
  exec.cluster_config_json = config_json;
  if (const std::optional<FieldError> error = CheckExecConfig(exec)) {
    reader.Fail(error->field, error->reason);
  }
  if (!config.bearer_token.empty() || !config.bearer_token_file.empty() ||
      !config.username.empty() || !config.password.empty()) {
    user.Fail("exec", "cannot be combined with a token or a username and password");
  }
  config.exec = std::move(exec);
}

void ReadImpersonation(FieldReader& reader, RestConfig& config) {
  config.impersonate_user = reader.String("as");
  config.impersonate_uid = reader.String("as-uid");
  config.impersonate_groups = reader.Strings("as-groups");
  FieldReader extra = reader.Map("as-user-extra");
  for (const std::string& key : extra.Keys()) {
    config.impersonate_extra.emplace_back(key, extra.Strings(key.c_str()));
  }
  const bool any = !config.impersonate_uid.empty() || !config.impersonate_groups.empty() ||
                   !config.impersonate_extra.empty();
  if (any && config.impersonate_user.empty()) {
    reader.Fail("as", "must be set with as-uid, as-groups or as-user-extra");
  }
}

}  // namespace

Status ReadCluster(const std::string& name, const KubeconfigEntry& entry, const std::string& master,
                   RestConfig& config, std::string& exec_config_json) {
  FieldReader reader(entry, Format("clusters[\"{}\"]", name));
  ReadTls(reader, config.tls);
  config.proxy_url = reader.String("proxy-url");
  if (!config.proxy_url.empty()) {
    reader.Check("proxy-url", ParseProxyUrl(config.proxy_url).status());
  }
  for (FieldReader& extension : reader.List("extensions")) {
    if (extension.String("name") != kExecExtension || !extension.Has("extension")) continue;
    exec_config_json = extension.Json("extension");
  }
  config.server = reader.String("server");
  if (!master.empty()) {
    // The configured name is for another server.
    config.tls.server_name.clear();
    config.server = master;
  } else if (config.server.empty()) {
    reader.Fail("server", "must be set");
  } else {
    reader.Check("server", ParseServerUrl(config.server, true).status());
  }
  return reader.status();
}

Status ReadUser(const std::string& name, const KubeconfigEntry& entry,
                const std::string& exec_config_json, RestConfig& config) {
  FieldReader reader(entry, Format("users[\"{}\"]", name));
  if (reader.Has("auth-provider")) {
    reader.Fail("auth-provider",
                "is not supported; Kubernetes replaced it with exec credential plugins");
  }
  ReadClientCertificate(reader, config.tls);
  ReadToken(reader, config);
  if (reader.Has("exec")) ReadExec(reader, exec_config_json, config);
  ReadImpersonation(reader, config);
  return reader.status();
}

}  // namespace capstan::client
