#pragma once

/// Setting: one thing that an operator can set, with its flag and its key of the configuration
/// file. Flags, file, help, /configz, /flagz and docs/flags.md all come from this one list.

#include <string>
#include <utility>
#include <vector>

#include "base/cli/flag_value.h"
#include "base/text/joined.h"
#include "config/options.h"
#include "plugins/plugin_catalog.h"

namespace capstan::manager {

struct Setting {
  std::string section;  ///< the flag's heading: "Generic"
  std::string flag;
  char shorthand = 0;
  std::vector<std::string> other_flags;  ///< other spellings: Argo's
  std::vector<std::string> path;         ///< in the configuration file; empty = only a flag
  cli::FlagValue value;
  std::string usage;
  bool at_run_time = false;  ///< a change of the file takes effect without a restart
  bool is_url = false;       ///< may hold a password, which is not shown

  /// "generic.clientConnection.qps".
  std::string Key() const { return text::Joined(path, "."); }
};

/// All settings, by section. They borrow `options`.
std::vector<Setting> SettingsOf(Options& options, const std::vector<PluginManifest>& plugins);

/// The setting of this flag; null when there is none.
const Setting* FindSetting(const std::vector<Setting>& settings, std::string_view flag);

/// The value as pages show it: without passwords.
std::string ShownText(const Setting& setting);

/// Every flag and its value, by name: for /flagz.
std::vector<std::pair<std::string, std::string>> FlagValues(
    const Options& options, const std::vector<PluginManifest>& plugins);

struct ChangedSetting {
  std::string flag;
  std::string key;
  std::string before, after;  ///< as pages show them
  bool at_run_time = false;   ///< otherwise it needs a restart
};
/// What differs.
std::vector<ChangedSetting> ChangedSettings(const Options& before, const Options& after,
                                            const std::vector<PluginManifest>& plugins);

/// Collects settings, for the functions that list a section each.
class SettingList {
 public:
  void BeginSection(std::string title) { section_ = std::move(title); }
  /// `key` with dots between its parts.
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
