#include "config/config_writer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include <capstan/api/raw_json.h>
#include <capstan/runtime/format.h>

#include "base/json/json_text.h"
#include "base/text/ascii.h"
#include "config/config_file.h"
#include "config/config_yaml.h"
#include "config/settings.h"

namespace capstan::manager {
namespace {

/// A key with its content: a map or a setting.
struct ConfigKey {
  std::string name;
  const Setting* setting = nullptr;
  std::vector<ConfigKey> children;
};

ConfigKey& ChildOf(ConfigKey& parent, const std::string& name) {
  const auto found = std::find_if(parent.children.begin(), parent.children.end(),
                                  [&](const ConfigKey& child) { return child.name == name; });
  if (found != parent.children.end()) return *found;
  return parent.children.emplace_back(ConfigKey{name, nullptr, {}});
}

ConfigKey ConfigTreeOf(const std::vector<Setting>& settings) {
  ConfigKey root;
  for (const Setting& setting : settings) {
    if (setting.path.empty()) continue;
    if (setting.flag == "plugin-dir" &&
        cli::TextOf(setting.value) == DefaultPluginDirectory().string()) {
      continue;
    }
    ConfigKey* key = &root;
    for (const std::string& name : setting.path) key = &ChildOf(*key, name);
    key->setting = &setting;
  }
  return root;
}

bool IsBareValue(const cli::FlagValue& value) {
  return std::holds_alternative<bool*>(value) || std::holds_alternative<int*>(value) ||
         std::holds_alternative<double*>(value);
}

/// Returns a plain scalar if that is safe. Otherwise quotes it as JSON, which is valid YAML.
std::string YamlText(const std::string& text) {
  const auto is_safe = [](char c) {
    return text::IsAlphanumeric(c) || c == '/' || c == '.' || c == '_' || c == '-';
  };
  const bool plain = !NeedsQuotes(text) && text[0] != '-' && text[0] != '.' &&
                     std::all_of(text.begin(), text.end(), is_safe);
  return plain ? text : json::Quoted(text);
}

void AppendYamlValue(std::string& out, const Setting& setting, const std::string& indent) {
  const cli::FlagValue& value = setting.value;
  if (const auto* gates = std::get_if<std::map<std::string, bool>*>(&value)) {
    out += (*gates)->empty() ? " {}\n" : "\n";
    for (const auto& [name, on] : **gates) {
      out += Format("{}  {}: {}\n", indent, name, on);
    }
  } else if (const std::vector<std::string>* list = cli::ListOf(value)) {
    out += list->empty() ? " []\n" : "\n";
    for (const std::string& item : *list) out += indent + "  - " + YamlText(item) + "\n";
  } else {
    const std::string text = cli::TextOf(value);
    out += " " + (IsBareValue(value) ? text : YamlText(text)) + "\n";
  }
}

void AppendYaml(std::string& out, const ConfigKey& key, size_t depth) {
  const std::string indent(2 * depth, ' ');
  for (const ConfigKey& child : key.children) {
    out += indent + child.name + ":";
    if (child.setting != nullptr) {
      AppendYamlValue(out, *child.setting, indent);
    } else {
      out += "\n";
      AppendYaml(out, child, depth + 1);
    }
  }
}

void AppendJsonValue(std::string& out, const Setting& setting) {
  const cli::FlagValue& value = setting.value;
  const char* separator = "";
  if (const auto* gates = std::get_if<std::map<std::string, bool>*>(&value)) {
    out += '{';
    for (const auto& [name, on] : **gates) {
      out += std::exchange(separator, ",") + json::Quoted(name) + (on ? ":true" : ":false");
    }
    out += '}';
  } else if (const std::vector<std::string>* list = cli::ListOf(value)) {
    out += '[';
    for (const std::string& item : *list) out += std::exchange(separator, ",") + json::Quoted(item);
    out += ']';
  } else {
    out += IsBareValue(value) ? cli::TextOf(value) : json::Quoted(ShownText(setting));
  }
}

void AppendJsonMembers(std::string& out, const ConfigKey& key, const char* separator) {
  for (const ConfigKey& child : key.children) {
    out += std::exchange(separator, ",") + json::Quoted(child.name) + ":";
    if (child.setting != nullptr) {
      AppendJsonValue(out, *child.setting);
    } else {
      out += '{';
      AppendJsonMembers(out, child, "");
      out += '}';
    }
  }
}

}  // namespace

std::string ConfigYaml(const Options& options, const std::vector<PluginManifest>& plugins) {
  Options copy = options;
  const std::vector<Setting> settings = SettingsOf(copy, plugins);
  std::string out = Format("apiVersion: {}\nkind: {}\n", kConfigApiVersion, kConfigKind);
  AppendYaml(out, ConfigTreeOf(settings), 0);
  return out;
}

std::string ConfigJson(const Options& options, const std::vector<PluginManifest>& plugins) {
  Options copy = options;
  const std::vector<Setting> settings = SettingsOf(copy, plugins);
  std::string out =
      Format("{{\"apiVersion\":\"{}\",\"kind\":\"{}\"", kConfigApiVersion, kConfigKind);
  AppendJsonMembers(out, ConfigTreeOf(settings), ",");
  return out + "}";
}

Status WriteTextFile(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (out) return Status::Ok();
  return Status::InvalidArgument(Format("{}: {}", path, std::strerror(errno)));
}

}  // namespace capstan::manager
