#include "apiserver/codec/yaml_reader.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "apiserver/http/api_errors.h"
#include "base/json/json_text.h"

namespace capstan::testing::server {
namespace {

constexpr int kMaxDepth = 100;
// An alias counts as often as it is used.
constexpr size_t kMaxNodes = 200'000;

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

// "0x1f", "0b11", "017", "1_000" and decimal numbers.
bool ReadInteger(std::string text, json::Value& value) {
  text.erase(std::remove(text.begin(), text.end(), '_'), text.end());
  std::string_view digits = text;
  const bool negative = !digits.empty() && digits[0] == '-';
  if (!digits.empty() && (digits[0] == '-' || digits[0] == '+')) digits.remove_prefix(1);
  int base = 10;
  if (digits.size() > 1 && digits[0] == '0') {
    const char mark = digits[1];
    base = mark == 'x' || mark == 'X' ? 16 : mark == 'b' || mark == 'B' ? 2 : 8;
    digits.remove_prefix(base == 8 && mark != 'o' && mark != 'O' ? 1 : 2);
  }
  const std::string signed_digits = (negative ? "-" : "") + std::string(digits);
  const char* const end = signed_digits.data() + signed_digits.size();
  int64_t number = 0;
  const auto [stop, error] = std::from_chars(signed_digits.data(), end, number, base);
  if (digits.empty() || digits[0] == '-' || stop != end || error != std::errc()) return false;
  value = number;
  return true;
}

bool ReadFloat(std::string_view text, json::Value& value) {
  if (text.find_first_not_of("0123456789.eE+-") != std::string_view::npos) return false;
  if (text.find_first_of("0123456789") == std::string_view::npos) return false;
  if (text[0] == '+') text.remove_prefix(1);
  double number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (stop != text.data() + text.size() || error != std::errc() || !std::isfinite(number)) {
    return false;
  }
  constexpr double kExact = 9007199254740992;
  // JSON has no 1.0 that is not 1.
  if (number == std::floor(number) && std::abs(number) < kExact) {
    value = static_cast<int64_t>(number);
  } else {
    value = number;
  }
  return true;
}

json::Value PlainScalar(const std::string& text) {
  json::Value value;
  if (IsOneOf(text, {"", "~", "null", "Null", "NULL"})) return value;
  if (IsOneOf(text, {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"})) {
    return true;
  }
  if (IsOneOf(text, {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"})) {
    return false;
  }
  if (ReadInteger(text, value) || ReadFloat(text, value)) return value;
  return text;
}

std::string KeyText(const YAML::Node& key) {
  if (key.Tag() != "?") return key.Scalar();
  const json::Value value = PlainScalar(key.Scalar());
  if (value.IsBool() || value.IsInteger()) return json::ToJson(value);
  return key.Scalar();
}

class YamlConverter {
 public:
  explicit YamlConverter(std::vector<std::string>& repeated) : repeated_(repeated) {}

  Result<json::Value> Convert(const YAML::Node& node, int depth) {
    if (depth > kMaxDepth || ++nodes_ > kMaxNodes) {
      return BadRequestError(
          "error converting YAML to JSON: yaml: document contains excessive "
          "aliasing");
    }
    switch (node.Type()) {
      case YAML::NodeType::Sequence:
        return Sequence(node, depth);
      case YAML::NodeType::Map:
        return Map(node, depth);
      case YAML::NodeType::Scalar:
        return Scalar(node);
      case YAML::NodeType::Null:
      case YAML::NodeType::Undefined:
        return json::Value();
    }
    return json::Value();
  }

 private:
  static std::string Line(const YAML::Node& node) { return std::to_string(node.Mark().line + 1); }

  Result<json::Value> Scalar(const YAML::Node& node) {
    if (!json::IsValidUtf8(node.Scalar())) {
      return BadRequestError("error converting YAML to JSON: yaml: invalid UTF-8");
    }
    if (node.Tag() == "?") return PlainScalar(node.Scalar());
    return json::Value(node.Scalar());
  }

  Result<json::Value> Sequence(const YAML::Node& node, int depth) {
    json::Value::Items items;
    for (const auto& element : node) {
      Result<json::Value> item = Convert(element, depth + 1);
      if (!item.ok()) return item;
      items.push_back(std::move(*item));
    }
    return json::Value::Array(std::move(items));
  }

  Result<json::Value> Map(const YAML::Node& node, int depth) {
    json::Value object = json::Value::Object();
    json::Value merged = json::Value::Object();  // of "<<"
    for (const auto& member : node) {
      if (!member.first.IsScalar() || !json::IsValidUtf8(member.first.Scalar())) {
        return BadRequestError("error converting YAML to JSON: yaml: line " + Line(member.first) +
                               ": invalid map key");
      }
      Result<json::Value> value = Convert(member.second, depth + 1);
      if (!value.ok()) return value;
      const std::string key = KeyText(member.first);
      if (key == "<<" && member.first.Tag() == "?") {
        AddMissing(merged, *value);
        continue;
      }
      if (object.Find(key)) {
        repeated_.push_back("line " + Line(member.first) + ": key \"" + key +
                            "\" already set in map");
      }
      object.Set(key, std::move(*value));
    }
    AddMissing(object, merged);
    return object;
  }

  // A merge key's map, or list of maps of which earlier ones win.
  static void AddMissing(json::Value& object, const json::Value& more) {
    for (const json::Value& map : more.items()) AddMissing(object, map);
    for (const json::Member& member : more.members()) {
      if (!object.Find(member.key)) object.Set(member.key, member.value);
    }
  }

  std::vector<std::string>& repeated_;
  size_t nodes_ = 0;
};

// Where the map ends that `text` begins with, if it is written as JSON would be.
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

// The API reads the first document, and does not look at what follows it.
YAML::Node Load(std::string_view text) {
  const size_t end = text.starts_with('{') ? EndOfFlow(text) : text.size();
  return YAML::Load(std::string(text.substr(0, end)));
}

}  // namespace

Result<json::Value> ReadYaml(std::string_view text, std::vector<std::string>& repeated) {
  try {
    return YamlConverter(repeated).Convert(Load(text), 0);
  } catch (const YAML::Exception& exception) {
    return BadRequestError("error converting YAML to JSON: yaml: line " +
                           std::to_string(exception.mark.line + 1) + ": " + exception.msg);
  } catch (const std::exception& exception) {
    return BadRequestError(std::string("error converting YAML to JSON: yaml: ") + exception.what());
  }
}

}  // namespace capstan::testing::server
