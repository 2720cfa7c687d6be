#include <capstan/runtime/format.h>

#include <spdlog/fmt/fmt.h>

#include <vector>

#include <fmt/args.h>

namespace capstan {

void FormatArg::AppendTo(std::string& out) const {
  switch (kind_) {
    case Kind::kNull:
      out += "null";
      return;
    case Kind::kBool:
      out += AsBool() ? "true" : "false";
      return;
    case Kind::kInt:
      out += std::to_string(int_);
      return;
    case Kind::kUint:
      out += std::to_string(uint_);
      return;
    case Kind::kDouble:
      fmt::format_to(std::back_inserter(out), "{}", double_);
      return;
    case Kind::kString:
      out += string_;
      return;
    case Kind::kCustom:
      custom_.append(out, custom_.value);
      return;
  }
}

std::string FormatText(std::string_view format, std::initializer_list<FormatArg> args) {
  fmt::dynamic_format_arg_store<fmt::format_context> store;
  for (const FormatArg& arg : args) {
    switch (arg.kind()) {
      case FormatArg::Kind::kBool:
        store.push_back(arg.AsBool());
        break;
      case FormatArg::Kind::kInt:
        store.push_back(arg.AsInt());
        break;
      case FormatArg::Kind::kUint:
        store.push_back(arg.AsUint());
        break;
      case FormatArg::Kind::kDouble:
        store.push_back(arg.AsDouble());
        break;
      case FormatArg::Kind::kString:
        store.push_back(arg.AsString());
        break;
      case FormatArg::Kind::kNull:
      case FormatArg::Kind::kCustom: {
        std::string text;
        arg.AppendTo(text);
        store.push_back(text);
        break;
      }
    }
  }
  try {
    return fmt::vformat(fmt::string_view(format.data(), format.size()), store);
  } catch (const fmt::format_error& error) {
    return std::string(format) + " (format error: " + error.what() + ")";
  }
}

}  // namespace capstan
