#include "options.h"

#include <arpa/inet.h>

#include <string_view>
#include <utility>

#include <capstan/plugin/layout.h>
#include <capstan/runtime/format.h>

#include "controller_selection.h"
#include "elf_note.h"
#include "flag_set.h"
#include "go_duration.h"

namespace capstan::manager {
namespace {

constexpr std::string_view kUsage =
    "capstan-controller-manager runs Kubernetes controllers that are plugins.\n\n"
    "Usage:\n  capstan-controller-manager [flags]\n\n";
constexpr std::string_view kVersionLine = "Capstan v" CAPSTAN_VERSION "\n";

/// Values that are not options themselves yet.
struct RawValues {
  bool help = false;
  std::string version;
  std::string logging_format = "text";
};

void AddPluginDir(FlagSet& flags, Options& options) {
  flags.AddString("plugin-dir", &options.plugin_dir,
                  "Directory of the plugins; every *.so in it that is a plugin is known.");
}

void AddGenericFlags(FlagSet& flags, Options& options) {
  flags.BeginSection("Generic");
  flags.AddList("controllers", &options.controllers,
                "Controllers to run: '*' means all that are on by default, 'foo' the controller "
                "foo, '-foo' not the controller foo. The first entry that fits counts.");
  AddPluginDir(flags, options);
  flags.AddDouble("kube-api-qps", &options.kube_api_qps,
                  "Requests a second to the API server, on average; a negative number or 0 is no "
                  "limit.");
  flags.AddInt("kube-api-burst", &options.kube_api_burst,
               "Requests that may go out at once after a quiet time.");
  flags.AddDuration("min-resync-period", &options.min_resync_period,
                    "How often informers repeat what they hold to their handlers; the period in "
                    "use is between this and twice this, at random.");
  flags.AddDuration("controller-shutdown-timeout", &options.controller_shutdown_timeout,
                    "How long workers may take to finish what they are at when the process stops.");
}

void AddLeaderElectionFlags(FlagSet& flags, LeaderElectionOptions& options) {
  flags.BeginSection("Leader election");
  flags.AddBool("leader-elect", &options.enabled,
                "Win a lease before running controllers, so that of several managers one works.");
  flags.AddDuration("leader-elect-lease-duration", &options.lease_duration,
                    "How long others wait after the last renewal that they saw before they take "
                    "the lease.");
  flags.AddDuration("leader-elect-renew-deadline", &options.renew_deadline,
                    "How long the leader may go without a renewal that succeeds before it stops "
                    "leading; shorter than the lease duration.");
  flags.AddDuration("leader-elect-retry-period", &options.retry_period,
                    "How long to wait between tries to acquire or renew.");
  flags.AddString("leader-elect-resource-name", &options.resource_name, "Name of the Lease.");
  flags.AddString("leader-elect-resource-namespace", &options.resource_namespace,
                  "Namespace of the Lease.");
}

void AddServingFlags(FlagSet& flags, ServingOptions& options) {
  flags.BeginSection("Secure serving");
  flags.AddString("bind-address", &options.bind_address,
                  "IP address on which --secure-port listens.");
  flags.AddInt("secure-port", &options.secure_port,
               "HTTPS port of /healthz, /livez, /readyz and /metrics; 0 serves nothing.");
  flags.AddString("tls-cert-file", &options.tls_cert_file,
                  "PEM file with the certificate to serve with, and those that sign it. Without "
                  "it a self-signed certificate is made at start.");
  flags.AddString("tls-private-key-file", &options.tls_private_key_file,
                  "PEM file with the private key that belongs to --tls-cert-file.");
}

void AddOtherFlags(FlagSet& flags, Options& options, RawValues& raw) {
  flags.BeginSection("Logs");
  flags.AddString("logging-format", &raw.logging_format, "Format of log lines: text or json.");
  flags.AddInt("v", &options.logging.verbosity, "How much is logged: 0 little, 4 much, 8 all.");
  flags.AlsoAs('v');
  flags.BeginSection("Misc");
  flags.AddString("kubeconfig", &options.kubeconfig,
                  "File that says where the API server is and who we are. Without it, and without "
                  "--master, the service account of the pod is used.");
  flags.AddString("master", &options.master,
                  "URL of the API server; wins over the one of the kubeconfig.");
  flags.BeginSection("Global");
  flags.AddBool("help", &raw.help, "Print this and exit.");
  flags.AlsoAs('h');
  flags.AddStringOrBare("version", &raw.version, "true",
                        "Print the version and exit; --version=raw prints what plugins must fit "
                        "to as well.");
}

/// "Deployment controller" for deployment-controller.
std::string SectionOf(std::string name) {
  constexpr std::string_view kSuffix = "-controller";
  if (name.ends_with(kSuffix)) name.resize(name.size() - kSuffix.size());
  if (name[0] >= 'a' && name[0] <= 'z') name[0] = static_cast<char>(name[0] - 'a' + 'A');
  return name + " controller";
}

Status AddPluginFlags(FlagSet& flags, const PluginCatalog& catalog, Options& options) {
  for (const PluginManifest& plugin : catalog.plugins) {
    int& syncs = options.concurrent_syncs[plugin.name] = plugin.concurrent_syncs;
    if (plugin.concurrent_syncs_flag.empty()) continue;
    if (flags.Has(plugin.concurrent_syncs_flag)) {
      return Status::InvalidArgument(
          Format("plugin {}: its flag --{} is one of the manager's own; take the plugin out",
                 plugin.file.string(), plugin.concurrent_syncs_flag));
    }
    flags.BeginSection(SectionOf(plugin.name));
    flags.AddInt(plugin.concurrent_syncs_flag, &syncs,
                 "How many objects the controller works on at once. More are faster, and load the "
                 "API server more.");
  }
  return Status::Ok();
}

CommandLine Printing(std::string text) {
  CommandLine line;
  line.action = CommandLine::Action::kPrint;
  line.text = std::move(text);
  return line;
}

Result<std::string> VersionText(const std::string& asked) {
  if (asked == "true") return std::string(kVersionLine);
  if (asked == "raw") {
    return Format("{}plugin contract: {}\nlayout fingerprint: {}\ntoolchain: {}\n", kVersionLine,
                  kPluginContractVersion, kLayoutFingerprint, ToText(internal::CurrentToolchain()));
  }
  return Status::InvalidArgument(Format("flag --version: \"{}\" is not true, false or raw", asked));
}

bool IsIpAddress(const std::string& text) {
  in6_addr address{};
  return inet_pton(AF_INET, text.c_str(), &address) == 1 ||
         inet_pton(AF_INET6, text.c_str(), &address) == 1;
}

void ValidateElection(const LeaderElectionOptions& options, std::vector<std::string>& errors) {
  if (!options.enabled) return;
  const auto text = FormatGoDuration;
  if (options.retry_period <= Duration::zero()) {
    errors.push_back("flag --leader-elect-retry-period: must be more than 0");
  }
  if (options.lease_duration < std::chrono::seconds(1)) {
    errors.push_back(
        "flag --leader-elect-lease-duration: must be at least 1s, as leases count "
        "seconds");
  }
  if (options.lease_duration <= options.renew_deadline) {
    errors.push_back(
        Format("flag --leader-elect-lease-duration: {} must be more than "
               "--leader-elect-renew-deadline, which is {}",
               text(options.lease_duration), text(options.renew_deadline)));
  }
  if (options.renew_deadline.count() * 5 <= options.retry_period.count() * 6) {
    errors.push_back(
        Format("flag --leader-elect-renew-deadline: {} must be more than 1.2 times "
               "--leader-elect-retry-period, which is {}",
               text(options.renew_deadline), text(options.retry_period)));
  }
  if (options.resource_name.empty()) {
    errors.push_back("flag --leader-elect-resource-name: must not be empty");
  }
  if (options.resource_namespace.empty()) {
    errors.push_back("flag --leader-elect-resource-namespace: must not be empty");
  }
}

void ValidateServing(const ServingOptions& options, std::vector<std::string>& errors) {
  if (options.secure_port < 0 || options.secure_port > 65535) {
    errors.push_back(Format("flag --secure-port: {} is no port, 0 to 65535", options.secure_port));
  }
  if (!IsIpAddress(options.bind_address)) {
    errors.push_back(Format("flag --bind-address: \"{}\" is no IP address", options.bind_address));
  }
  if (options.tls_cert_file.empty() != options.tls_private_key_file.empty()) {
    errors.push_back(
        Format("flag --{}: is missing, it goes with --{}",
               options.tls_cert_file.empty() ? "tls-cert-file" : "tls-private-key-file",
               options.tls_cert_file.empty() ? "tls-private-key-file" : "tls-cert-file"));
  }
}

Status CheckCommandLine(CommandLine& line, const RawValues& raw) {
  if (raw.logging_format != "text" && raw.logging_format != "json") {
    return Status::InvalidArgument(
        Format("flag --logging-format: \"{}\" is neither text nor json", raw.logging_format));
  }
  line.options.logging.format = raw.logging_format == "json" ? LogFormat::kJson : LogFormat::kText;
  for (const PluginManifest& plugin : line.catalog.plugins) {
    const int syncs = line.options.concurrent_syncs[plugin.name];
    if (syncs >= 1) continue;
    return Status::InvalidArgument(
        Format("flag --{}: {} must be at least 1", plugin.concurrent_syncs_flag, syncs));
  }
  if (Status status = ValidateOptions(line.options); !status.ok()) return status;
  return ValidateSelection(line.options.controllers, line.catalog.plugins);
}

}  // namespace

Status ValidateOptions(const Options& options) {
  std::vector<std::string> errors;
  ValidateElection(options.leader_election, errors);
  ValidateServing(options.serving, errors);
  if (options.kube_api_qps > 0 && options.kube_api_burst < 1) {
    errors.push_back(
        Format("flag --kube-api-burst: {} must be at least 1", options.kube_api_burst));
  }
  if (options.min_resync_period < Duration::zero()) {
    errors.push_back("flag --min-resync-period: must not be negative");
  }
  if (options.controller_shutdown_timeout < Duration::zero()) {
    errors.push_back("flag --controller-shutdown-timeout: must not be negative");
  }
  std::string message;
  for (const std::string& error : errors) message += (message.empty() ? "" : "\n") + error;
  return errors.empty() ? Status::Ok() : Status::InvalidArgument(std::move(message));
}

Result<CommandLine> ParseCommandLine(const std::vector<std::string>& arguments, size_t width) {
  CommandLine line;
  RawValues raw;
  // The plugins' flags complete the set, so where the plugins are has to be known first.
  FlagSet first;
  AddPluginDir(first, line.options);
  first.AddBool("help", &raw.help, "");
  first.AlsoAs('h');
  first.AddStringOrBare("version", &raw.version, "true", "");
  first.ParseKnown(arguments);
  if (!raw.version.empty() && raw.version != "false") {
    auto text = VersionText(raw.version);
    if (!text) return text.status();
    return Printing(*std::move(text));
  }

  auto catalog = ReadPluginCatalog(line.options.plugin_dir);
  const bool help = std::exchange(raw.help, false);
  if (!catalog && !help) return catalog.status();
  if (catalog) line.catalog = *std::move(catalog);
  line.options.plugin_dir = DefaultPluginDirectory().string();

  FlagSet flags;
  AddGenericFlags(flags, line.options);
  AddLeaderElectionFlags(flags, line.options.leader_election);
  AddServingFlags(flags, line.options.serving);
  AddOtherFlags(flags, line.options, raw);
  if (Status status = AddPluginFlags(flags, line.catalog, line.options); !status.ok()) {
    return status;
  }
  if (help) {
    return Printing(std::string(kUsage) + flags.Help(width) + SelectionHelp(line.catalog.plugins));
  }
  if (Status status = flags.Parse(arguments); !status.ok()) return status;
  if (Status status = CheckCommandLine(line, raw); !status.ok()) return status;
  return line;
}

}  // namespace capstan::manager
