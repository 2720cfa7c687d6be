#include "apiserver/codec/yaml_reader.h"

#include <utility>
#include <variant>

#include "base/json/json_text.h"
#include "base/yaml/plain_scalar.h"
#include "base/yaml/yaml_tree.h"

#include "apiserver/http/api_errors.h"

namespace capstan::testing::server {
namespace {

constexpr yaml::Options kLimits{.max_nodes = 400'000, .max_depth = 100, .one_document = false};

Status YamlError(std::string_view text) {
  return BadRequestError("error converting YAML to JSON: yaml: " + std::string(text));
}

std::string LineOf(int line) { return "line " + std::to_string(line); }

json::Value PlainValue(std::string_view text) {
  return std::visit([](auto value) { return json::Value(value); }, yaml::ReadPlainScalar(text));
}

std::string KeyText(const yaml::Node& key) {
  if (!key.plain) return key.text;
  const json::Value value = PlainValue(key.text);
  return value.IsBool() || value.IsInteger() ? json::ToJson(value) : key.text;
}

class YamlConverter {
 public:
  explicit YamlConverter(std::vector<std::string>& repeated) : repeated_(repeated) {}

  Result<json::Value> Convert(const yaml::Node& node) {
    switch (node.kind) {
      case yaml::Node::Kind::kList:
        return List(node);
      case yaml::Node::Kind::kMap:
        return Map(node);
      case yaml::Node::Kind::kScalar:
        return Scalar(node);
      case yaml::Node::Kind::kNull:
        break;
    }
    return json::Value();
  }

 private:
  static Result<json::Value> Scalar(const yaml::Node& node) {
    if (!json::IsValidUtf8(node.text)) return YamlError("invalid UTF-8");
    if (node.plain) return PlainValue(node.text);
    return json::Value(node.text);
  }

  Result<json::Value> List(const yaml::Node& node) {
    json::Value::Items items;
    for (const yaml::Node& element : node.items) {
      Result<json::Value> item = Convert(element);
      if (!item.ok()) return item;
      items.push_back(std::move(*item));
    }
    return json::Value::Array(std::move(items));
  }

  Result<json::Value> Map(const yaml::Node& node) {
    json::Value object = json::Value::Object();
    json::Value merged = json::Value::Object();  // from "<<"
    for (size_t i = 0; i < node.keys.size(); ++i) {
      const yaml::Node& key_node = node.keys[i];
      if (!key_node.IsScalar() || !json::IsValidUtf8(key_node.text)) {
        return YamlError(LineOf(key_node.line) + ": invalid map key");
      }
      Result<json::Value> value = Convert(node.items[i]);
      if (!value.ok()) return value;
      const std::string key = KeyText(key_node);
      if (key == "<<" && key_node.plain) {
        AddMissing(merged, *value);
        continue;
      }
      if (object.Find(key)) {
        repeated_.push_back(LineOf(key_node.line) + ": key \"" + key + "\" already set in map");
      }
      object.Set(key, std::move(*value));
    }
    AddMissing(object, merged);
    return object;
  }

  // Merges the map of a merge key, or a list of maps in which earlier ones take precedence.
  static void AddMissing(json::Value& object, const json::Value& more) {
    for (const json::Value& map : more.items()) AddMissing(object, map);
    for (const json::Member& member : more.members()) {
      if (!object.Find(member.key)) object.Set(member.key, member.value);
    }
  }

  std::vector<std::string>& repeated_;
};

// Returns the end of the flow map at the start of `text`.
size_t EndOfFlow(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string && c == '\\') {
      ++i;
    } else if (c == '"') {
      in_string = !in_string;
    } else if (!in_string && (c == '{' || c == '[')) {
      ++depth;
    } else if (!in_string && (c == '}' || c == ']') && --depth <= 0) {
      return i + 1;
    }
  }
  return text.size();
}

std::string ErrorText(const yaml::Error& error) {
  if (error.kind == yaml::Error::Kind::kSyntax) {
    return error.line == 0 ? error.text : LineOf(error.line) + ": " + error.text;
  }
  return "document contains excessive aliasing";
}

}  // namespace

Result<json::Value> ReadYaml(std::string_view text, std::vector<std::string>& repeated) {
  // The API reads the first document and ignores the rest.
  const size_t end = text.starts_with('{') ? EndOfFlow(text) : text.size();
  const auto parsed = yaml::Parse(std::string(text.substr(0, end)), kLimits);
  if (const auto* const error = std::get_if<yaml::Error>(&parsed)) {
    return YamlError(ErrorText(*error));
  }
  return YamlConverter(repeated).Convert(std::get<yaml::Node>(parsed));
}

}  // namespace capstan::testing::server
