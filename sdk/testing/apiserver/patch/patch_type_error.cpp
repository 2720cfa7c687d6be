// StrategicPatchTypeError (patch.h).

#include "apiserver/patch/patch.h"

namespace capstan::testing::server {
namespace {

// Returns the word after `prefix`.
std::string_view WordAfter(std::string_view text, std::string_view prefix) {
  const size_t start = text.find(prefix);
  if (start == std::string_view::npos) return {};
  text.remove_prefix(start + prefix.size());
  return text.substr(0, text.find(' '));
}

}  // namespace

std::string StrategicPatchTypeError(std::string_view conform_error) {
  constexpr std::string_view kCannot = "json: cannot unmarshal ";
  if (!conform_error.starts_with(kCannot)) return std::string(conform_error);
  std::string from(WordAfter(conform_error, kCannot));
  const std::string to(WordAfter(conform_error, " of type "));
  if (from == "number") {
    const std::string_view number = WordAfter(conform_error, "number ");
    from = number.find_first_of(".eE") == std::string_view::npos ? "int64" : "float64";
  } else if (from == "array") {
    from = "slice";
  } else if (from == "object") {
    from = "map";
  }
  if (to.starts_with("[]")) return "cannot restore slice from " + from;
  if (to.starts_with("map[")) return "cannot restore map from " + from;
  if (to.starts_with("v1.")) return "cannot restore struct from: " + from;
  const bool to_number = to == "int32" || to == "int64" || to == "float64";
  const bool converts = (from == "int64" && to == "string") || (from == "float64" && to_number);
  return converts ? "cannot convert " + from + " to " + to : "unrecognized type: " + to;
}

}  // namespace capstan::testing::server
