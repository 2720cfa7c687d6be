#include "config/settings.h"

#include <algorithm>
#include <string_view>

#include "base/text/url_text.h"

namespace capstan::manager {
Setting& SettingList::Add(std::string flag, std::string_view key, cli::FlagValue value,
                          std::string usage) {
  Setting& setting = settings_.emplace_back();
  setting.section = section_;
  setting.flag = std::move(flag);
  setting.value = std::move(value);
  setting.usage = std::move(usage);
  while (!key.empty()) {
    const size_t dot = std::min(key.find('.'), key.size());
    setting.path.emplace_back(key.substr(0, dot));
    key.remove_prefix(std::min(dot + 1, key.size()));
  }
  return setting;
}

std::vector<Setting> SettingsOf(Options& options, const std::vector<PluginManifest>& plugins) {
  SettingList list;
  ListGenericSettings(list, options);
  ListLeaderElectionSettings(list, options.leader_election);
  ListServingSettings(list, options.serving);
  ListAuthenticationSettings(list, options.authentication);
  ListAuthorizationSettings(list, options.authorization);
  ListMetricsSettings(list, options.metrics);
  ListLogSettings(list, options);
  ListPluginSettings(list, options, plugins);
  return list.Take();
}

const Setting* FindSetting(const std::vector<Setting>& settings, std::string_view flag) {
  const auto found = std::find_if(settings.begin(), settings.end(),
                                  [&](const Setting& setting) { return setting.flag == flag; });
  return found == settings.end() ? nullptr : &*found;
}

std::string ShownText(const Setting& setting) {
  const std::string text = cli::TextOf(setting.value);
  return setting.is_url ? text::RedactedUrl(text) : text;
}

std::vector<std::pair<std::string, std::string>> FlagValues(
    const Options& options, const std::vector<PluginManifest>& plugins) {
  Options copy = options;
  std::vector<std::pair<std::string, std::string>> values;
  for (const Setting& setting : SettingsOf(copy, plugins)) {
    if (!setting.flag.empty()) values.emplace_back(setting.flag, ShownText(setting));
  }
  std::sort(values.begin(), values.end());
  return values;
}

std::vector<ChangedSetting> ChangedSettings(const Options& before, const Options& after,
                                            const std::vector<PluginManifest>& plugins) {
  Options old_copy = before;
  Options new_copy = after;
  const auto old_settings = SettingsOf(old_copy, plugins);
  const auto new_settings = SettingsOf(new_copy, plugins);
  std::vector<ChangedSetting> changed;
  for (size_t i = 0; i < old_settings.size(); ++i) {
    const Setting& setting = new_settings[i];
    // Settings without a key do not change, or are aliases of a setting with a key.
    if (setting.path.empty()) continue;
    if (cli::TextOf(old_settings[i].value) == cli::TextOf(setting.value)) continue;
    changed.push_back({.flag = setting.flag,
                       .key = setting.Key(),
                       .before = ShownText(old_settings[i]),
                       .after = ShownText(setting),
                       .at_run_time = setting.at_run_time});
  }
  return changed;
}

}  // namespace capstan::manager
