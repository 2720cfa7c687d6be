#include "client/auth/exec_credential.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include <capstan/api/time.h>
#include <capstan/runtime/format.h>

#include "base/io/whole_file.h"
#include "base/json/json_text.h"
#include "base/json/json_tree.h"
#include "base/text/base64.h"
#include "base/tls/certificate.h"
#include "client/auth/exec_credential_process.h"
#include "client/auth/exec_metrics.h"

namespace capstan::client {
namespace {

Status Bad(std::string what) { return {StatusReason::kTransport, std::move(what)}; }

// One run of the plugin and its waiters. `ended` becomes readable, and stays readable, once
// `answer` is set.
struct Run {
  io::UniqueFd ended{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  std::atomic<bool> done = false;
  Result<ExecAnswer> answer = Status::Canceled();

  void End(Result<ExecAnswer> result) {
    answer = std::move(result);
    done = true;
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(ended.get(), &one, sizeof(one));
  }
};

class ExecCredentials final : public Credentials {
 public:
  ExecCredentials(const RestConfig& config, std::string ca_pem, Runtime& runtime)
      : exec_(*config.exec), runtime_(runtime), certificate_metrics_(runtime.clock()) {
    const bool interactive = exec_.interactive_mode != "Never" && isatty(STDIN_FILENO) == 1;
    options_ = {
        .command = exec_.command, .args = exec_.args, .env = exec_.env, .keep_stdin = interactive};
    if (interactive) options_.time_limit = std::chrono::minutes(10);
    options_.env.emplace_back("KUBERNETES_EXEC_INFO", ExecInfo(config, ca_pem, interactive));
  }

  Result<Credential> Get(const RequestScope& scope) override { return RunOrJoin(scope); }

  Result<Credential> Refresh(const Credential& refused, const RequestScope& scope) override {
    {
      MutexLock lock(mutex_);
      if (known_ && known_->credential == refused) known_.reset();
    }
    return RunOrJoin(scope);
  }

 private:
  bool Expired(const ExecAnswer& answer) const {
    return answer.expires && runtime_.clock().Now() >= *answer.expires;
  }

  Result<Credential> RunOrJoin(const RequestScope& scope) {
    while (true) {
      std::shared_ptr<Run> run;
      bool mine = false;
      {
        MutexLock lock(mutex_);
        if (known_ && !Expired(*known_)) return known_->credential;
        mine = !run_ || run_->done;
        if (mine) run_ = std::make_shared<Run>();
        run = run_;
      }
      if (mine) return Lead(*run, scope);
      if (!run->ended.valid()) return Bad("cannot create an eventfd: too many open files");
      if (const Result<bool> ended = scope.Wait(run->ended.get(), POLLIN); !ended) {
        return ended.status();
      }
      // Reading `done` makes the answer of the other thread visible to this one.
      if (run->done && run->answer) return run->answer->credential;
      // The caller that ran the plugin may have had less time than this one.
      if (run->answer.status().reason() != StatusReason::kCanceled &&
          run->answer.status().reason() != StatusReason::kDeadlineExceeded) {
        return run->answer.status();
      }
    }
  }

  Result<Credential> Lead(Run& run, const RequestScope& scope) {
    Result<ExecAnswer> answer = Execute(scope);
    if (answer) {
      MutexLock lock(mutex_);
      const std::string& certificate = answer->credential.certificate.cert_pem;
      if (certificate != used_certificate_) {
        certificate_metrics_.Use(certificate);
        used_certificate_ = certificate;
      }
      known_ = *answer;
    }
    run.End(answer);
    if (!answer) return answer.status();
    return answer->credential;
  }

  Result<ExecAnswer> Execute(const RequestScope& scope) {
    const Result<std::string> output = RunProcess(options_, runtime_, scope);
    Status status = output.status();
    if (output) {
      Result<ExecAnswer> answer = ParseExecCredential(*output, exec_.api_version);
      if (answer) return answer;
      status = answer.status().WithContext("\"" + exec_.command + "\"");
    }
    if (status.reason() == StatusReason::kNotFound) {
      const std::string hint = exec_.install_hint.empty() ? "" : "\n" + exec_.install_hint;
      status = Bad(status.message() + hint);
    }
    return status.WithContext("credential plugin");
  }

  const ExecConfig exec_;
  Runtime& runtime_;
  ProcessOptions options_;
  Mutex mutex_;
  std::optional<ExecAnswer> known_ CAPSTAN_GUARDED_BY(mutex_);
  std::shared_ptr<Run> run_ CAPSTAN_GUARDED_BY(mutex_);
  std::string used_certificate_ CAPSTAN_GUARDED_BY(mutex_);
  ExecCertificateMetrics certificate_metrics_ CAPSTAN_GUARDED_BY(mutex_);
};

Status CheckCertificate(const ClientCertificate& certificate) {
  const Result<std::vector<tls::X509Ptr>> chain = tls::ParseCertificates(certificate.cert_pem);
  if (!chain) return Bad("status.clientCertificateData " + chain.status().message());
  const Result<tls::KeyPtr> key = tls::ParsePrivateKey(certificate.key_pem);
  if (!key) return Bad("status.clientKeyData " + key.status().message());
  Status status = tls::CheckKeyMatches(*chain->front(), **key);
  return status.ok() ? status : Bad("status.clientKeyData: " + status.message());
}

}  // namespace

std::optional<FieldError> CheckExecConfig(const ExecConfig& exec) {
  if (exec.command.empty()) return FieldError{"command", "must be set"};
  if (exec.api_version.empty()) return FieldError{"apiVersion", "must be set"};
  if (exec.api_version != kExecV1 && exec.api_version != kExecV1Beta1) {
    return FieldError{"apiVersion", Format("\"{}\" is not supported, want {} or {}",
                                           exec.api_version, kExecV1, kExecV1Beta1)};
  }
  const std::string& mode = exec.interactive_mode;
  if (mode.empty() && exec.api_version == kExecV1) {
    return FieldError{"interactiveMode", Format("must be set with {}", kExecV1)};
  }
  if (!mode.empty() && mode != "Never" && mode != "IfAvailable" && mode != "Always") {
    return FieldError{"interactiveMode",
                      Format("\"{}\" is not one of Never, IfAvailable and Always", mode)};
  }
  for (const auto& [name, value] : exec.env) {
    if (name.empty() || name.find('=') != std::string::npos) {
      return FieldError{"env", "each entry needs a name without \"=\""};
    }
  }
  return std::nullopt;
}

std::string ExecInfo(const RestConfig& config, std::string_view ca_pem, bool interactive) {
  std::string text;
  json::ObjectWriter object(text);
  const auto member = [&](json::ObjectWriter& writer, std::string_view key,
                          std::string_view value) {
    if (value.empty()) return;
    writer.Key(key);
    json::AppendString(text, value);
  };
  member(object, "kind", "ExecCredential");
  member(object, "apiVersion", config.exec->api_version);
  object.Key("spec");
  json::ObjectWriter spec(text);
  if (config.exec->provide_cluster_info) {
    spec.Key("cluster");
    json::ObjectWriter cluster(text);
    member(cluster, "server", config.server);
    member(cluster, "tls-server-name", config.tls.server_name);
    if (config.tls.insecure_skip_verify) {
      cluster.Key("insecure-skip-tls-verify");
      text += "true";
    }
    member(cluster, "certificate-authority-data", text::EncodeBase64(ca_pem));
    member(cluster, "proxy-url", config.proxy_url);
    if (!config.exec->cluster_config_json.empty()) {
      cluster.Key("config");
      text += config.exec->cluster_config_json;
    }
    cluster.End();
  }
  spec.Key("interactive");
  text += interactive ? "true" : "false";
  spec.End();
  object.End();
  return text;
}

Result<ExecAnswer> ParseExecCredential(std::string text, std::string_view api_version) {
  const Result<json::Document> document = json::Document::Parse(std::move(text));
  if (!document) return Bad("its output is " + document.status().message());
  const json::Node& root = document->root();
  if (root.StringOf("kind") != "ExecCredential") {
    return Bad("its output is not of kind ExecCredential");
  }
  if (root.StringOf("apiVersion") != api_version) {
    return Bad(Format("its output has apiVersion \"{}\", but the kubeconfig has \"{}\"",
                      root.StringOf("apiVersion"), api_version));
  }
  const json::Node* const status = root.Find("status");
  if (!status || !status->IsObject()) return Bad("its output has no status");
  ExecAnswer answer;
  answer.credential.certificate = {std::string(status->StringOf("clientCertificateData")),
                                   std::string(status->StringOf("clientKeyData"))};
  const ClientCertificate& certificate = answer.credential.certificate;
  if (certificate.cert_pem.empty() != certificate.key_pem.empty()) {
    return Bad("status needs both clientCertificateData and clientKeyData, or neither");
  }
  const std::string_view token = status->StringOf("token");
  if (token.empty() && certificate.empty()) {
    return Bad("status has neither a token nor a client certificate");
  }
  if (!std::ranges::all_of(token, [](unsigned char c) { return c >= ' ' && c != 0x7f; })) {
    return Bad("status.token has a line break or control character");
  }
  if (!token.empty()) answer.credential.authorization = "Bearer " + std::string(token);
  if (!certificate.empty()) {
    if (Status checked = CheckCertificate(certificate); !checked.ok()) return checked;
  }
  if (const std::string_view text = status->StringOf("expirationTimestamp"); !text.empty()) {
    const Result<api::Time> time = api::Time::Parse(text);
    if (!time) return Bad("status.expirationTimestamp: " + time.status().message());
    answer.expires = time->ToWallTime();
  }
  return answer;
}

Result<std::unique_ptr<Credentials>> NewExecCredentials(const RestConfig& config,
                                                        Runtime& runtime) {
  if (const std::optional<FieldError> error = CheckExecConfig(*config.exec)) {
    return Status::InvalidArgument(Format("exec.{}: {}", error->field, error->reason));
  }
  if (config.exec->interactive_mode == "Always" && isatty(STDIN_FILENO) != 1) {
    return Status::InvalidArgument(
        "exec.interactiveMode: is Always, but standard input is not a terminal");
  }
  std::string ca_pem = config.tls.ca_pem;
  if (ca_pem.empty() && !config.tls.ca_file.empty()) {
    Result<std::string> text = io::ReadWholeFile(config.tls.ca_file);
    if (!text) return text.status();
    ca_pem = *std::move(text);
  }
  return std::unique_ptr<Credentials>(
      std::make_unique<ExecCredentials>(config, std::move(ca_pem), runtime));
}

}  // namespace capstan::client
