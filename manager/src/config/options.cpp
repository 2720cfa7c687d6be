#include "config/options.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <capstan/plugin/layout.h>
#include <capstan/runtime/format.h>

#include "base/cli/flag_set.h"
#include "base/text/joined.h"
#include "config/config_file.h"
#include "config/config_writer.h"
#include "config/foreign_flags.h"
#include "config/options_validation.h"
#include "config/settings.h"
#include "plugins/controller_selection.h"
#include "plugins/elf_note.h"

namespace capstan::manager {
namespace {

constexpr std::string_view kUsage =
    "capstan-controller-manager runs Kubernetes controllers that are plugins.\n\n"
    "Usage:\n  capstan-controller-manager [flags]\n\n";
constexpr std::string_view kVersionLine = "Capstan v" CAPSTAN_VERSION "\n";

/// Flags that are not settings.
struct Requests {
  bool help = false;
  std::string version;
  std::string write_config_to;
};

void AddRequests(cli::FlagSet& flags, Requests& requests) {
  flags.BeginSection("Global");
  flags.AddBool("help", &requests.help, "Print this and exit.");
  flags.AlsoAs('h');
  flags.AddStringOrBare(
      "version", &requests.version, "true",
      "Print the version and exit; --version=raw also prints what plugins must match.");
  flags.AddString("write-config-to", &requests.write_config_to,
                  "Write the configuration that results from flags and file to this configuration "
                  "file and exit; - is standard output.");
}

/// The flags of a set of settings, their borrowed variables, and the parsed values.
class OptionReader {
 public:
  explicit OptionReader(const std::vector<PluginManifest>& plugins) : plugins_(plugins) {
    options_.kube_api_qps_max = kDefaultQpsMax;
    settings_ = SettingsOf(options_, plugins);
  }
  OptionReader(const OptionReader&) = delete;
  OptionReader& operator=(const OptionReader&) = delete;

  Status AddFlags() {
    for (const Setting& setting : settings_) {
      if (setting.flag.empty()) continue;
      if (Status status = CheckFlagIsFree(setting); !status.ok()) return status;
      if (section_ != setting.section) flags_.BeginSection(section_ = setting.section);
      flags_.Add(setting.flag, setting.value, setting.usage);
      if (setting.shorthand != 0) flags_.AlsoAs(setting.shorthand);
      for (const std::string& other : setting.other_flags) {
        if (!flags_.Has(other)) flags_.AlsoAs(other);
      }
    }
    AddForeignFlags(flags_, ignored_);
    AddRequests(flags_, requests_);
    return Status::Ok();
  }

  const cli::FlagSet& flags() const { return flags_; }
  const Requests& requests() const { return requests_; }

  /// Applies the file, then the arguments, then the validation rules.
  Result<Options> Read(const std::vector<std::string>& arguments, const ConfigFile* file) {
    if (file != nullptr) {
      auto places = ApplyConfig(*file, settings_);
      if (!places) return places.status();
      places_ = *std::move(places);
    }
    if (Status status = flags_.Parse(arguments); !status.ok()) return status;
    if (Status status = Complete(); !status.ok()) return status;
    if (Status status = Check(); !status.ok()) return status;
    return options_;
  }

 private:
  Status CheckFlagIsFree(const Setting& setting) const {
    if (!flags_.Has(setting.flag)) return Status::Ok();
    for (const PluginManifest& plugin : plugins_) {
      if (plugin.concurrent_syncs_flag != setting.flag) continue;
      return Status::InvalidArgument(
          Format("plugin {}: its flag --{} is a flag of the manager; remove the plugin",
                 plugin.file.string(), setting.flag));
    }
    return Status::InvalidArgument(Format("flag --{} is defined twice", setting.flag));
  }

  /// The position "/etc/c.yaml:7:5" if the value comes from the file and not from a flag, else "".
  std::string PlaceOf(std::string_view flag) const {
    const Setting* setting = FindSetting(settings_, flag);
    if (setting == nullptr || flags_.WasGiven(flag)) return "";
    const auto place = places_.find(setting->Key());
    return place == places_.end() ? "" : place->second;
  }

  bool IsSaid(std::string_view flag) const {
    return flags_.WasGiven(flag) || !PlaceOf(flag).empty();
  }

  /// Sets the values that follow from other settings.
  Status Complete() {
    if ((IsSaid("kube-api-qps") || IsSaid("kube-api-burst")) && !IsSaid("kube-api-qps-max")) {
      options_.kube_api_qps_max = 0;
    }
    if (options_.serving.bind_address.empty()) options_.serving.bind_address = "0.0.0.0";
    // Leader election writes a Lease, which a dry run must not do.
    if (options_.dry_run) options_.leader_election.enabled = false;
    return AddManifestLabels();
  }

  Status AddManifestLabels() {
    MetricsOptions& metrics = options_.metrics;
    if (metrics.allow_metric_labels_manifest.empty()) return Status::Ok();
    auto labels = ReadMetricLabelsManifest(metrics.allow_metric_labels_manifest);
    if (!labels) return labels.status().WithContext("flag --allow-metric-labels-manifest");
    for (std::string& label : *labels) {
      const std::string key = label.substr(0, label.find('=') + 1);
      const bool is_said =
          std::any_of(metrics.allow_metric_labels.begin(), metrics.allow_metric_labels.end(),
                      [&](const std::string& said) { return said.starts_with(key); });
      if (!is_said) metrics.allow_metric_labels.push_back(std::move(label));
    }
    return Status::Ok();
  }

  std::string TextOfError(const OptionError& error) const {
    if (error.flag.empty()) return error.reason;
    const std::string place = PlaceOf(error.flag);
    if (place.empty()) return Format("flag --{}: {}", error.flag, error.reason);
    return Format("{}: {} (flag --{}): {}", place, FindSetting(settings_, error.flag)->Key(),
                  error.flag, error.reason);
  }

  Status Check() const {
    std::vector<OptionError> errors = CheckOptions(options_);
    for (OptionError& error : CheckPluginOptions(options_, plugins_)) {
      errors.push_back(std::move(error));
    }
    if (Status status = ValidateSelection(options_.controllers, plugins_); !status.ok()) {
      constexpr std::string_view kPrefix = "flag --controllers: ";
      const std::string& message = status.message();
      errors.push_back(
          {"controllers", message.substr(message.starts_with(kPrefix) ? kPrefix.size() : 0)});
    }
    if (errors.empty()) return Status::Ok();
    std::vector<std::string> lines;
    lines.reserve(errors.size());
    for (const OptionError& error : errors) lines.push_back(TextOfError(error));
    return Status::InvalidArgument(text::Joined(lines, "\n"));
  }

  const std::vector<PluginManifest>& plugins_;
  Options options_;
  IgnoredValues ignored_;
  Requests requests_;
  std::vector<Setting> settings_;
  std::string section_;
  cli::FlagSet flags_;
  ConfigPlaces places_;
};

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

/// The flags that are needed before the plugins are known, which define further flags.
struct Beginning {
  Requests requests;
  std::string plugin_dir;
  std::string config_file;

  explicit Beginning(const std::vector<std::string>& arguments) {
    cli::FlagSet flags;
    AddRequests(flags, requests);
    flags.AddString("plugin-dir", &plugin_dir, "");
    flags.AddString("config", &config_file, "");
    flags.ParseKnown(arguments);
    plugin_dir_given = flags.WasGiven("plugin-dir");
  }
  bool plugin_dir_given = false;
};

Result<std::optional<ConfigFile>> ReadNamedConfig(const std::string& path) {
  if (path.empty()) return std::optional<ConfigFile>();
  auto file = ReadConfigFile(path);
  if (!file) return file.status();
  return std::optional<ConfigFile>(*std::move(file));
}

std::string PluginDirectoryOf(const Beginning& beginning, const std::optional<ConfigFile>& file) {
  if (beginning.plugin_dir_given) return beginning.plugin_dir;
  const std::string said = file ? ConfigText(*file, {"generic", "pluginDir"}) : "";
  return said.empty() ? DefaultPluginDirectory().string() : said;
}

Result<CommandLine> HelpFor(const std::string& plugin_dir, size_t width) {
  // If the plugins cannot be read, help is shown without them.
  auto catalog = ReadPluginCatalog(plugin_dir);
  const std::vector<PluginManifest> plugins =
      catalog ? std::move(catalog->plugins) : std::vector<PluginManifest>();
  OptionReader reader(plugins);
  if (Status status = reader.AddFlags(); !status.ok()) return status;
  return Printing(std::string(kUsage) + reader.flags().Help(width) + SelectionHelp(plugins));
}

Result<CommandLine> WriteConfig(const CommandLine& line, const std::string& path) {
  std::string text = ConfigYaml(line.options, line.catalog.plugins);
  if (path == "-") return Printing(std::move(text));
  if (Status status = WriteTextFile(path, text); !status.ok()) {
    return status.WithContext("flag --write-config-to");
  }
  return Printing(Format("Wrote the configuration to {}\n", path));
}

}  // namespace

Result<std::string> NamespaceInScope(const Options& options, const std::string& own) {
  if (!options.namespace_.empty() || !options.namespaced) return options.namespace_;
  if (!own.empty()) return own;
  return Status::InvalidArgument(
      "flag --namespaced: the kubeconfig names no namespace; set it with --namespace");
}

Result<CommandLine> ParseCommandLine(const std::vector<std::string>& arguments, size_t width) {
  const Beginning beginning(arguments);
  const std::string& version = beginning.requests.version;
  if (!version.empty() && version != "false") {
    auto text = VersionText(version);
    if (!text) return text.status();
    return Printing(*std::move(text));
  }
  if (beginning.requests.help) return HelpFor(PluginDirectoryOf(beginning, std::nullopt), width);

  auto file = ReadNamedConfig(beginning.config_file);
  if (!file) return file.status();
  auto catalog = ReadPluginCatalog(PluginDirectoryOf(beginning, *file));
  if (!catalog) return catalog.status();
  CommandLine line;
  line.arguments = arguments;
  line.catalog = *std::move(catalog);
  OptionReader reader(line.catalog.plugins);
  if (Status status = reader.AddFlags(); !status.ok()) return status;
  auto options = reader.Read(arguments, *file ? &**file : nullptr);
  if (!options) return options.status();
  line.options = *std::move(options);
  const std::string& write_to = reader.requests().write_config_to;
  if (!write_to.empty()) return WriteConfig(line, write_to);
  return line;
}

Result<Options> ReloadOptions(const CommandLine& line) {
  auto file = ReadNamedConfig(line.options.config_file);
  if (!file) return file.status();
  OptionReader reader(line.catalog.plugins);
  if (Status status = reader.AddFlags(); !status.ok()) return status;
  return reader.Read(line.arguments, *file ? &**file : nullptr);
}

}  // namespace capstan::manager
