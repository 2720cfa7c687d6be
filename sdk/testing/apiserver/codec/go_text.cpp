#include "apiserver/codec/go_text.h"

namespace capstan::testing::server {
namespace {

void Append(std::string& out, const json::Value& value) {
  const char* separator = "";
  switch (value.kind()) {
    case json::Value::Kind::kNull:
      out += "<nil>";
      return;
    case json::Value::Kind::kString:
      out += value.AsString();
      return;
    case json::Value::Kind::kArray:
      out += '[';
      for (const json::Value& item : value.items()) {
        out += separator;
        Append(out, item);
        separator = " ";
      }
      out += ']';
      return;
    case json::Value::Kind::kObject:
      out += "map[";
      for (const json::Member& member : value.members()) {
        out += separator + member.key + ":";
        Append(out, member.value);
        separator = " ";
      }
      out += ']';
      return;
    case json::Value::Kind::kBool:
    case json::Value::Kind::kInteger:
    case json::Value::Kind::kDouble:
      json::AppendJson(out, value);
      return;
  }
}

}  // namespace

std::string GoText(const json::Value& value) {
  std::string text;
  Append(text, value);
  return text;
}

std::string_view GoTypeName(const json::Value& value) {
  switch (value.kind()) {
    case json::Value::Kind::kNull:
      return "%!s(<nil>)";
    case json::Value::Kind::kBool:
      return "bool";
    case json::Value::Kind::kInteger:
      return "int64";
    case json::Value::Kind::kDouble:
      return "float64";
    case json::Value::Kind::kString:
      return "string";
    case json::Value::Kind::kArray:
      return "[]interface {}";
    case json::Value::Kind::kObject:
      return "map[string]interface {}";
  }
  return "";
}

}  // namespace capstan::testing::server
