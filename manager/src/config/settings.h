#pragma once

/// Setting: one configurable value, with its flag and its key of the configuration file. The flags,
/// the configuration file, --help, /configz, /flagz and docs/flags.md are all generated from this
/// list.

#include <string>
#include <utility>
#include <vector>

#include "base/cli/flag_value.h"
#include "base/text/joined.h"
#include "config/options.h"
#include "plugins/plugin_catalog.h"

namespace capstan::manager {

struct Setting {
  std::string section;  ///< the heading in --help: "Generic"
  std::string flag;
  char shorthand = 0;
  std::vector<std::string> other_flags;  ///< aliases, such as Argo's
  std::vector<std::string> path;         ///< key in the configuration file; empty = flag only
  cli::FlagValue value;
  std::string usage;
  bool at_run_time = false;  ///< a changed value applies without a restart
  bool is_url = false;       ///< may hold a password, which is never shown

  /// The key with dots: "generic.clientConnection.qps".
  std::string Key() const { return text::Joined(path, "."); }
};

/// Returns all settings, by section. `options` is borrowed.
std::vector<Setting> SettingsOf(Options& options, const std::vector<PluginManifest>& plugins);

/// Returns the setting of this flag, or null.
const Setting* FindSetting(const std::vector<Setting>& settings, std::string_view flag);

/// Returns the value as pages show it, without passwords.
std::string ShownText(const Setting& setting);

/// Returns every flag with its value, sorted by name, for /flagz.
std::vector<std::pair<std::string, std::string>> FlagValues(
    const Options& options, const std::vector<PluginManifest>& plugins);

struct ChangedSetting {
  std::string flag;
  std::string key;
  std::string before, after;  ///< as pages show them
  bool at_run_time = false;   ///< false: the change needs a restart
};
/// Returns the settings that differ.
std::vector<ChangedSetting> ChangedSettings(const Options& before, const Options& after,
                                            const std::vector<PluginManifest>& plugins);

/// Collects settings. Each section has a function that adds its settings.
class SettingList {
 public:
  void BeginSection(std::string title) { section_ = std::move(title); }
  /// `key` is written with dots between its parts.
  Setting& Add(std::string flag, std::string_view key, cli::FlagValue value, std::string usage);
  std::vector<Setting> Take() { return std::move(settings_); }

 private:
  std::string section_;
  std::vector<Setting> settings_;
};

void ListGenericSettings(SettingList& list, Options& options);
void ListLeaderElectionSettings(SettingList& list, LeaderElectionOptions& options);
void ListServingSettings(SettingList& list, ServingOptions& options);
void ListAuthenticationSettings(SettingList& list, AuthenticationOptions& options);
void ListAuthorizationSettings(SettingList& list, AuthorizationOptions& options);
void ListMetricsSettings(SettingList& list, MetricsOptions& options);
void ListLogSettings(SettingList& list, Options& options);
void ListPluginSettings(SettingList& list, Options& options,
                        const std::vector<PluginManifest>& plugins);

}  // namespace capstan::manager
