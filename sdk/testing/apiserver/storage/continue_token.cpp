#include "apiserver/storage/continue_token.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "apiserver/codec/json_syntax.h"
#include "apiserver/http/api_errors.h"
#include "base/text/ascii.h"
#include "base/text/base64.h"
#include "json/value.h"

namespace capstan::testing::server {
namespace {

constexpr std::string_view kVersion = "meta.k8s.io/v1";

bool IsOfUrlAlphabet(char c) { return text::IsAlphanumeric(c) || c == '-' || c == '_'; }

// On error, returns nullopt and sets `wrong` to the position of the first invalid byte.
std::optional<std::string> DecodeFromUrl(std::string_view text, size_t& wrong) {
  wrong = static_cast<size_t>(std::find_if_not(text.begin(), text.end(), IsOfUrlAlphabet) -
                              text.begin());
  if (wrong != text.size()) return std::nullopt;
  if (text.size() % 4 == 1) return std::nullopt;
  std::string padded(text);
  std::replace(padded.begin(), padded.end(), '-', '+');
  std::replace(padded.begin(), padded.end(), '_', '/');
  padded.append((4 - padded.size() % 4) % 4, '=');
  return text::DecodeBase64(padded);
}

Status Invalid(std::string_view why) {
  return BadRequestError("invalid continue token: continue key is not valid: " + std::string(why));
}

// Whether "/" + `key` is a path without empty, "." and ".." segments.
bool IsPlainPath(std::string_view key) {
  while (true) {
    const std::string_view part = key.substr(0, key.find('/'));
    if (part.empty() || part == "." || part == "..") return false;
    if (part.size() == key.size()) return true;
    key.remove_prefix(part.size() + 1);
  }
}

}  // namespace

Result<ContinueToken> ContinueToken::Decode(std::string_view text) {
  size_t wrong = 0;
  auto decoded = DecodeFromUrl(text, wrong);
  if (!decoded) return Invalid("illegal base64 data at input byte " + std::to_string(wrong));
  const auto parsed = json::ParseValue(*decoded);
  if (!parsed.ok()) {
    const std::string error = JsonSyntaxError(*decoded);
    return Invalid(error.empty() ? parsed.status().message() : error);
  }
  const json::Value& value = parsed->value;
  if (!value.IsObject()) return Invalid("it is not a JSON object");
  if (value.Get("v").AsString() != kVersion) {
    return Invalid("server does not recognize this encoded version " + value.Get("v").AsString());
  }
  ContinueToken token{value.Get("rv").AsInteger(), value.Get("start").AsString()};
  if (token.version == 0) {
    return Invalid("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  }
  if (token.start.empty()) return Invalid("encoded start key empty (version meta.k8s.io/v1)");
  const std::string given = token.start;
  if (token.start.starts_with('/')) token.start.erase(0, 1);
  if (!IsPlainPath(token.start)) return Invalid(given);
  return token;
}

std::string ContinueToken::Encode() const {
  const json::Value value =
      json::Value::Object({{"v", kVersion}, {"rv", version}, {"start", start}});
  return text::EncodeBase64Url(json::ToJson(value));
}

}  // namespace capstan::testing::server
