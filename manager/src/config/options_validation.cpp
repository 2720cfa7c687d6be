#include "config/options_validation.h"

#include <arpa/inet.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include <capstan/runtime/format.h>

#include "base/cli/flag_value.h"
#include "base/cli/go_duration.h"
#include "base/text/ascii.h"

namespace capstan::manager {
namespace {

class OptionChecker {
 public:
  std::vector<OptionError> Take() { return std::move(errors_); }

  void Fail(std::string flag, std::string reason) {
    errors_.push_back({std::move(flag), std::move(reason)});
  }
  void NotEmpty(const char* flag, const std::string& value) {
    if (value.empty()) Fail(flag, "must not be empty");
  }
  void NotNegative(const char* flag, Duration value) {
    if (value < Duration::zero()) Fail(flag, "must not be negative");
  }
  void Port(const char* flag, int port) {
    if (port < 0 || port > 65535) Fail(flag, Format("{} is not a port, 0 to 65535", port));
  }
  void NoneBlank(const char* flag, const std::vector<std::string>& values) {
    for (const std::string& value : values) {
      if (value.find_first_not_of(" \t") == std::string::npos) {
        return Fail(flag, "an entry is blank");
      }
    }
  }

 private:
  std::vector<OptionError> errors_;
};

bool IsIpAddress(const std::string& text) {
  in6_addr address{};
  return inet_pton(AF_INET, text.c_str(), &address) == 1 ||
         inet_pton(AF_INET6, text.c_str(), &address) == 1;
}

/// Whether `text` is at most 63 characters long, begins and ends with a letter or digit, and
/// otherwise contains only letters, digits and `others`.
bool IsLabelText(std::string_view text, std::string_view others) {
  return text.size() <= 63 && text::IsAlphanumeric(text.front()) &&
         text::IsAlphanumeric(text.back()) && std::all_of(text.begin(), text.end(), [&](char c) {
           return text::IsAlphanumeric(c) || others.find(c) != std::string_view::npos;
         });
}

bool IsDecimal(std::string_view text) {
  return !text.empty() && text.size() < 10 && std::all_of(text.begin(), text.end(), text::IsDigit);
}

void CheckScope(const Options& options, OptionChecker& check) {
  const std::string& name = options.namespace_;
  const bool has_capital = std::any_of(name.begin(), name.end(), text::IsUpper);
  if (!name.empty() && (has_capital || !IsLabelText(name, "-"))) {
    check.Fail("namespace", Format("\"{}\" is not a namespace name", name));
  }
  if (!options.instance_id.empty() && !IsLabelText(options.instance_id, "-_.")) {
    check.Fail("instance-id", Format("\"{}\" is not a label value", options.instance_id));
  }
}

void CheckRate(const Options& options, OptionChecker& check) {
  if (!std::isfinite(options.kube_api_qps)) check.Fail("kube-api-qps", "is not a number");
  if (options.kube_api_qps > 0 && options.kube_api_burst < 1) {
    check.Fail("kube-api-burst", Format("{} must be at least 1", options.kube_api_burst));
  }
  if (!std::isfinite(options.kube_api_qps_max)) check.Fail("kube-api-qps-max", "is not a number");
  if (options.kube_api_qps_max > 0 && options.kube_api_qps_max < options.kube_api_qps) {
    check.Fail("kube-api-qps-max", Format("{} must be 0, or at least --kube-api-qps, which is {}",
                                          options.kube_api_qps_max, options.kube_api_qps));
  }
}

void CheckElection(const LeaderElectionOptions& options, OptionChecker& check) {
  if (!options.enabled) return;
  const auto text = cli::FormatGoDuration;
  if (options.lease_duration < std::chrono::seconds(1)) {
    check.Fail("leader-elect-lease-duration", "must be at least 1s, as leases count seconds");
  }
  if (options.lease_duration <= options.renew_deadline) {
    check.Fail("leader-elect-lease-duration",
               Format("{} must be more than --leader-elect-renew-deadline, which is {}",
                      text(options.lease_duration), text(options.renew_deadline)));
  }
  // Compared as double, since a duration times 6 may overflow.
  if (static_cast<double>(options.renew_deadline.count()) * 5 <=
      static_cast<double>(options.retry_period.count()) * 6) {
    check.Fail("leader-elect-renew-deadline",
               Format("{} must be more than 1.2 times --leader-elect-retry-period, which is {}",
                      text(options.renew_deadline), text(options.retry_period)));
  }
  if (options.retry_period <= Duration::zero()) {
    check.Fail("leader-elect-retry-period", "must be more than 0");
  }
  if (options.resource_lock != "leases") {
    check.Fail("leader-elect-resource-lock",
               Format("\"{}\" is not supported; the only lock is leases", options.resource_lock));
  }
  check.NotEmpty("leader-elect-resource-name", options.resource_name);
  check.NotEmpty("leader-elect-resource-namespace", options.resource_namespace);
}

void CheckSniCertKey(const std::string& text, OptionChecker& check) {
  const std::string files = text.substr(0, text.find(':'));
  const size_t comma = files.find(',');
  const bool two = comma != std::string::npos && comma > 0 && comma + 1 < files.size() &&
                   files.find(',', comma + 1) == std::string::npos;
  if (!two) {
    check.Fail("tls-sni-cert-key",
               Format("\"{}\" is not certificate,key or certificate,key:name,name", text));
  }
}

void CheckTls(const ServingOptions& options, OptionChecker& check) {
  const bool no_cert = options.tls_cert_file.empty();
  if (no_cert != options.tls_private_key_file.empty()) {
    check.Fail(no_cert ? "tls-cert-file" : "tls-private-key-file",
               Format("is missing, it is required with --{}",
                      no_cert ? "tls-private-key-file" : "tls-cert-file"));
  }
  for (const std::string& pair : options.tls_sni_cert_keys) CheckSniCertKey(pair, check);
  const std::string& version = options.tls_min_version;
  if (version == "VersionTLS10" || version == "VersionTLS11") {
    check.Fail("tls-min-version",
               version + " is not safe; it must be VersionTLS12 or VersionTLS13");
  } else if (version != "VersionTLS12" && version != "VersionTLS13") {
    check.Fail("tls-min-version", Format("\"{}\" is not VersionTLS12 or VersionTLS13", version));
  }
  for (const std::string& suite : options.tls_cipher_suites) {
    if (std::string_view(OPENSSL_cipher_name(suite.c_str())) == "(NONE)") {
      check.Fail("tls-cipher-suites",
                 Format("\"{}\" is not a cipher suite of the TLS library", suite));
    }
  }
}

void CheckServing(const ServingOptions& options, OptionChecker& check) {
  if (!IsIpAddress(options.bind_address)) {
    check.Fail("bind-address", Format("\"{}\" is not an IP address", options.bind_address));
  }
  check.Port("secure-port", options.secure_port);
  CheckTls(options, check);
  check.Port("metrics-port", options.metrics_port);
  check.Port("healthz-port", options.healthz_port);
  struct NamedPort {
    const char* flag;
    int port;
  };
  const NamedPort ports[] = {{"secure-port", options.secure_port},
                             {"metrics-port", options.metrics_port},
                             {"healthz-port", options.healthz_port}};
  for (size_t i = 0; i < std::size(ports); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (ports[i].port <= 0 || ports[i].port != ports[j].port) continue;
      check.Fail(ports[i].flag,
                 Format("{} is already the port of --{}", ports[i].port, ports[j].flag));
    }
  }
}

void CheckAuthentication(const AuthenticationOptions& options, OptionChecker& check) {
  check.NotNegative("authentication-token-webhook-cache-ttl", options.token_cache_ttl);
  check.NoneBlank("requestheader-allowed-names", options.requestheader_allowed_names);
  check.NoneBlank("requestheader-username-headers", options.requestheader_username_headers);
  check.NoneBlank("requestheader-uid-headers", options.requestheader_uid_headers);
  check.NoneBlank("requestheader-group-headers", options.requestheader_group_headers);
  check.NoneBlank("requestheader-extra-headers-prefix", options.requestheader_extra_headers_prefix);
  if (!options.requestheader_client_ca_file.empty() &&
      options.requestheader_username_headers.empty()) {
    check.Fail("requestheader-username-headers",
               "must not be empty with --requestheader-client-ca-file");
  }
}

void CheckAuthorization(const AuthorizationOptions& options, OptionChecker& check) {
  for (const std::string& path : options.always_allow_paths) {
    if (!path.starts_with('/')) {
      check.Fail("authorization-always-allow-paths",
                 Format("\"{}\" does not begin with a '/'", path));
    } else if (const size_t star = path.find('*');
               star != std::string::npos && (star + 1 != path.size() || path[star - 1] != '/')) {
      check.Fail("authorization-always-allow-paths",
                 Format("\"{}\" may have a '*' only after the last '/'", path));
    }
  }
  check.NotNegative("authorization-webhook-cache-authorized-ttl", options.authorized_ttl);
  check.NotNegative("authorization-webhook-cache-unauthorized-ttl", options.unauthorized_ttl);
}

void CheckMetricsOptions(const MetricsOptions& options, OptionChecker& check) {
  check.NoneBlank("disabled-metrics", options.disabled_metrics);
  for (const std::string& entry : options.allow_metric_labels) {
    const size_t comma = entry.find(',');
    const size_t equals = entry.find('=');
    if (comma != std::string::npos && equals != std::string::npos && comma > 0 &&
        comma + 1 < equals) {
      continue;
    }
    check.Fail("allow-metric-labels", Format("\"{}\" is not metric,label=value,value", entry));
  }
  const std::string& version = options.show_hidden_metrics_for_version;
  const size_t dot = version.find('.');
  if (!version.empty() && (dot == std::string::npos || !IsDecimal(version.substr(0, dot)) ||
                           !IsDecimal(version.substr(dot + 1)))) {
    check.Fail("show-hidden-metrics-for-version",
               Format("\"{}\" is not a version such as 0.1", version));
  }
}

void CheckLogs(const Options& options, OptionChecker& check) {
  if (options.logging.verbosity < 0) check.Fail("v", "must not be negative");
  const Status patterns = CheckVModule(options.logging.vmodule);
  if (!patterns.ok()) check.Fail("vmodule", patterns.message());
}

}  // namespace

std::vector<OptionError> CheckOptions(const Options& options) {
  OptionChecker check;
  CheckScope(options, check);
  CheckRate(options, check);
  check.NotNegative("min-resync-period", options.min_resync_period);
  check.NotNegative("controller-start-interval", options.controller_start_interval);
  check.NotNegative("controller-shutdown-timeout", options.controller_shutdown_timeout);
  check.NotNegative("controller-stuck-timeout", options.controller_stuck_timeout);
  CheckElection(options.leader_election, check);
  CheckServing(options.serving, check);
  CheckAuthentication(options.authentication, check);
  CheckAuthorization(options.authorization, check);
  CheckMetricsOptions(options.metrics, check);
  CheckLogs(options, check);
  return check.Take();
}

std::vector<OptionError> CheckPluginOptions(const Options& options,
                                            const std::vector<PluginManifest>& plugins) {
  OptionChecker check;
  for (const PluginManifest& plugin : plugins) {
    const auto syncs = options.concurrent_syncs.find(plugin.name);
    if (syncs == options.concurrent_syncs.end() || syncs->second >= 1) continue;
    const std::string& flag = plugin.concurrent_syncs_flag;
    check.Fail(flag, Format("{}{} must be at least 1",
                            flag.empty() ? Format("concurrentSyncs.{}: ", plugin.name) : "",
                            syncs->second));
  }
  return check.Take();
}

}  // namespace capstan::manager
