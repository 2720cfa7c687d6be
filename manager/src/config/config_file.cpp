#include "config/config_file.h"

#include <algorithm>
#include <set>
#include <utility>

#include <capstan/runtime/format.h>

#include "base/cli/flag_value.h"
#include "base/text/joined.h"
#include "base/text/nearest_name.h"

namespace capstan::manager {
namespace {

/// Applies a file to settings and collects errors.
class ConfigReader {
 public:
  ConfigReader(const ConfigFile& file, const std::vector<Setting>& settings)
      : file_(file), settings_(settings) {}

  Result<ConfigPlaces> Read() {
    ReadMap(file_.root, {});
    if (errors_.empty()) return std::move(places_);
    return Status::InvalidArgument(text::Joined(errors_, "\n"));
  }

 private:
  using Path = std::vector<std::string>;

  void Fail(const yaml::Node& node, std::string_view what, std::string_view reason) {
    errors_.push_back(
        Format("{}:{}: {}{}{}", file_.path, node.Place(), what, what.empty() ? "" : ": ", reason));
  }

  const Setting* SettingAt(const Path& path) const {
    const auto found = std::find_if(settings_.begin(), settings_.end(),
                                    [&](const Setting& setting) { return setting.path == path; });
    return found == settings_.end() ? nullptr : &*found;
  }

  /// Returns the keys that are allowed at `path`.
  std::vector<std::string> KeysBelow(const Path& path) const {
    std::vector<std::string> keys;
    if (path.empty()) keys = {"apiVersion", "kind"};
    for (const Setting& setting : settings_) {
      if (setting.path.size() <= path.size()) continue;
      if (!std::equal(path.begin(), path.end(), setting.path.begin())) continue;
      const std::string& key = setting.path[path.size()];
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    }
    return keys;
  }

  void ReadMap(const yaml::Node& map, const Path& path) {
    const std::vector<std::string> known = KeysBelow(path);
    std::map<std::string, const yaml::Node*> seen;
    for (size_t i = 0; i < map.keys.size(); ++i) {
      const yaml::Node& key = map.keys[i];
      if (!key.IsScalar()) {
        Fail(key, text::Joined(path, "."), Format("a key must be text, not {}", KindName(key)));
        continue;
      }
      const auto [first, fresh] = seen.emplace(key.text, &key);
      Path child = path;
      child.push_back(key.text);
      if (!fresh) {
        Fail(key, text::Joined(child, "."),
             Format("appears twice, first in line {}", first->second->line));
      } else if (std::find(known.begin(), known.end(), key.text) == known.end()) {
        Fail(key, text::Joined(path, "."), UnknownKey(key.text, path, known));
      } else if (!path.empty() || (key.text != "apiVersion" && key.text != "kind")) {
        ReadValue(key, map.items[i], child);
      }
    }
  }

  /// Returns the error for an unknown key, with a suggestion.
  std::string UnknownKey(const std::string& key, const Path& path,
                         const std::vector<std::string>& known) const {
    std::string text = Format("unknown key \"{}\"", key);
    if (const std::string nearest = text::NearestName(key, known); !nearest.empty()) {
      return text + Format("; did you mean {}?", nearest);
    }
    for (const Setting& setting : settings_) {
      if (setting.path.empty()) continue;
      if (setting.flag == key) return text + Format("; the key of --{} is {}", key, setting.Key());
      if (setting.path.back() == key) return text + Format("; it belongs to {}", setting.Key());
    }
    if (path == Path{"concurrentSyncs"}) {
      return text + Format("; there is no such controller, known controllers: {}",
                           text::Joined(known, ", "));
    }
    return text + Format("; known keys: {}", text::Joined(known, ", "));
  }

  void ReadValue(const yaml::Node& key, const yaml::Node& value, const Path& path) {
    const Setting* setting = SettingAt(path);
    if (value.IsNull()) return;
    if (setting == nullptr) {
      if (value.IsMap()) return ReadMap(value, path);
      return Fail(value, text::Joined(path, "."), Format("must be a map, not {}", KindName(value)));
    }
    const size_t errors_before = errors_.size();
    if (auto* gates = std::get_if<std::map<std::string, bool>*>(&setting->value)) {
      ReadGates(value, **gates, *setting);
    } else if (std::vector<std::string>* list = cli::ListOf(setting->value)) {
      ReadList(value, *list, *setting);
    } else {
      ReadScalar(value, *setting);
    }
    if (errors_.size() == errors_before) {
      places_[setting->Key()] = Format("{}:{}", file_.path, key.Place());
    }
  }

  void ReadScalar(const yaml::Node& node, const Setting& setting) {
    if (!node.IsScalar()) {
      return Fail(node, setting.Key(), Format("must be one value, not {}", KindName(node)));
    }
    const bool is_bool = std::holds_alternative<bool*>(setting.value);
    const bool is_number = std::holds_alternative<int*>(setting.value) ||
                           std::holds_alternative<double*>(setting.value);
    if (is_bool && (!node.plain || (node.text != "true" && node.text != "false"))) {
      return Fail(node, setting.Key(), Format("must be true or false, not {}", Shown(node)));
    }
    if (is_number && !node.plain) {
      return Fail(node, setting.Key(), Format("must be a number, not {}", Shown(node)));
    }
    if (!is_bool && !is_number && !IsTextFor(node, setting)) {
      return Fail(node, setting.Key(),
                  Format("must be text, and {} is {} without quotes", node.text, KindName(node)));
    }
    const std::string error = cli::SetFromText(setting.value, node.text, true);
    if (!error.empty()) Fail(node, setting.Key(), error);
  }

  /// A duration may be written as a plain 0.
  static bool IsTextFor(const yaml::Node& node, const Setting& setting) {
    return !IsPlainWord(node) || std::holds_alternative<Duration*>(setting.value);
  }

  static std::string Shown(const yaml::Node& node) {
    if (!node.IsScalar()) return std::string(KindName(node));
    return Format("\"{}\"{}", node.text, node.plain ? "" : ", which is in quotes");
  }

  void ReadList(const yaml::Node& node, std::vector<std::string>& list, const Setting& setting) {
    if (!node.IsList()) {
      return Fail(node, setting.Key(), Format("must be a list, not {}", KindName(node)));
    }
    std::vector<std::string> values;
    for (size_t i = 0; i < node.items.size(); ++i) {
      const yaml::Node& item = node.items[i];
      const std::string where = Format("{}[{}]", setting.Key(), i);
      if (!IsText(item)) {
        Fail(item, where, Format("must be text, not {}", KindName(item)));
      } else if (std::holds_alternative<cli::PairsValue>(setting.value) &&
                 item.text.find('=') == std::string::npos) {
        Fail(item, where, Format("\"{}\" is not key=value", item.text));
      } else {
        values.push_back(item.text);
      }
    }
    list = std::move(values);
  }

  void ReadGates(const yaml::Node& node, std::map<std::string, bool>& gates,
                 const Setting& setting) {
    if (!node.IsMap()) {
      return Fail(node, setting.Key(), Format("must be a map, not {}", KindName(node)));
    }
    std::set<std::string> seen;
    for (size_t i = 0; i < node.keys.size(); ++i) {
      const yaml::Node& name = node.keys[i];
      const yaml::Node& value = node.items[i];
      if (!seen.insert(name.text).second) {
        Fail(name, setting.Key() + "." + name.text, "appears twice");
      } else if (!value.plain || (value.text != "true" && value.text != "false")) {
        Fail(value, setting.Key() + "." + name.text,
             Format("must be true or false, not {}", Shown(value)));
      } else if (const std::string error = cli::SetGate(gates, name.text, value.text);
                 !error.empty()) {
        Fail(name, setting.Key(), error);
      }
    }
  }

  const ConfigFile& file_;
  const std::vector<Setting>& settings_;
  std::vector<std::string> errors_;
  ConfigPlaces places_;
};

Status CheckConfigType(const ConfigFile& file) {
  for (const auto& [key, want] :
       {std::pair("apiVersion", kConfigApiVersion), {"kind", kConfigKind}}) {
    const yaml::Node* node = file.root.Find(key);
    if (node == nullptr) {
      return Status::InvalidArgument(
          Format("{}:{}: {} is missing; it must be {}", file.path, file.root.Place(), key, want));
    }
    if (node->IsScalar() && node->text == want) continue;
    return Status::InvalidArgument(
        Format("{}:{}: {} must be {}, not {}", file.path, node->Place(), key, want,
               node->IsScalar() ? "\"" + node->text + "\"" : std::string(KindName(*node))));
  }
  return Status::Ok();
}

Result<ConfigFile> ReadMapFile(const std::string& path) {
  auto text = ReadSmallFile(path);
  if (!text) return text.status();
  auto root = ParseYaml(*text);
  if (!root) return Status::InvalidArgument(path + ":" + root.status().message());
  if (root->IsNull()) return Status::InvalidArgument(path + ":1:1: is empty");
  if (!root->IsMap()) {
    return Status::InvalidArgument(
        Format("{}:{}: must be a map, not {}", path, root->Place(), KindName(*root)));
  }
  return ConfigFile{path, *std::move(root)};
}

}  // namespace

Result<ConfigFile> ReadConfigFile(const std::string& path) {
  auto file = ReadMapFile(path);
  if (!file) return file.status();
  if (Status status = CheckConfigType(*file); !status.ok()) return status;
  return file;
}

std::string ConfigText(const ConfigFile& file, const std::vector<std::string>& path) {
  const yaml::Node* node = &file.root;
  for (const std::string& key : path) {
    node = node->Find(key);
    if (node == nullptr) return "";
  }
  return node->IsScalar() ? node->text : "";
}

Result<ConfigPlaces> ApplyConfig(const ConfigFile& file, const std::vector<Setting>& settings) {
  return ConfigReader(file, settings).Read();
}

Result<std::vector<std::string>> ReadMetricLabelsManifest(const std::string& path) {
  auto file = ReadMapFile(path);
  if (!file) return file.status();
  std::vector<std::string> labels;
  for (size_t i = 0; i < file->root.keys.size(); ++i) {
    const yaml::Node& key = file->root.keys[i];
    const yaml::Node& map = file->root.items[i];
    if (key.text != "allowListMapping" || !map.IsMap()) {
      return Status::InvalidArgument(
          Format("{}:{}: \"{}\" must be allowListMapping, a map", path, key.Place(), key.text));
    }
    for (size_t j = 0; j < map.keys.size(); ++j) {
      const yaml::Node& value = map.items[j];
      if (value.IsList() || value.IsMap()) {
        return Status::InvalidArgument(
            Format("{}:{}: {}: must be text such as \"value,value\", not {}", path, value.Place(),
                   map.keys[j].text, KindName(value)));
      }
      labels.push_back(map.keys[j].text + "=" + value.text);
    }
  }
  return labels;
}

}  // namespace capstan::manager
