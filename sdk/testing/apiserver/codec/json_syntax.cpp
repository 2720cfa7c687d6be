#include "apiserver/codec/json_syntax.h"

#include <vector>

#include "base/text/ascii.h"
#include "base/text/hex.h"
#include "json/value.h"

namespace capstan::testing::server {
namespace {

using text::IsDigit;

std::string QuotedCharacter(char c) {
  if (c == '\'') return R"('\'')";
  if (c == '"') return R"('"')";
  if (c == '\\') return R"('\\')";
  static constexpr std::string_view kEscaped = "\a\b\f\n\r\t\v";
  if (const size_t place = kEscaped.find(c); place != std::string_view::npos) {
    return std::string("'\\") + "abfnrtv"[place] + "'";
  }
  const auto byte = static_cast<unsigned char>(c);
  const std::string hex = text::Hexadecimal({&c, 1});
  if (byte < 0x20 || byte == 0x7f) return "'\\x" + hex + "'";
  if (byte < 0x7f) return std::string("'") + c + "'";
  // The API treats the byte as a code point.
  if (byte < 0xa0 || byte == 0xad) return "'\\u00" + hex + "'";
  return std::string("'") + static_cast<char>(0xc0 | (byte >> 6)) +
         static_cast<char>(0x80 | (byte & 0x3f)) + "'";
}

// Scans a JSON text up to the first error. Open containers are on an explicit stack, so nesting
// does not use the call stack.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::string Run() {
    bool more = Value();
    while (more && !open_.empty()) more = Next();
    if (more) {
      SkipSpace();
      if (!AtEnd()) Fail("after top-level value");
    }
    return std::move(error_);
  }

 private:
  bool AtEnd() const { return place_ == text_.size(); }
  char Here() const { return text_[place_]; }
  void SkipSpace() {
    while (!AtEnd() && (Here() == ' ' || Here() == '\t' || Here() == '\r' || Here() == '\n')) {
      ++place_;
    }
  }
  // Sets the error for the current character. Always returns false.
  bool Fail(std::string_view context) {
    error_ = AtEnd() ? "unexpected end of JSON input"
                     : "invalid character " + QuotedCharacter(Here()) + " " + std::string(context);
    return false;
  }

  // Scans to the end of the first scalar or empty container.
  bool Value() {
    for (;;) {
      SkipSpace();
      if (AtEnd()) return Fail("");
      if (Here() != '{' && Here() != '[') return Scalar();
      const char end = Here() == '{' ? '}' : ']';
      ++place_;
      SkipSpace();
      if (!AtEnd() && Here() == end) {
        ++place_;
        return true;
      }
      open_.push_back(end);
      if (end == '}' && !Key()) return false;
    }
  }

  bool Scalar() {
    switch (Here()) {
      case '"':
        return String();
      case 't':
        return Literal("true");
      case 'f':
        return Literal("false");
      case 'n':
        return Literal("null");
      default:
        return Here() == '-' || IsDigit(Here()) ? Number() : Fail("looking for beginning of value");
    }
  }

  bool Key() {
    SkipSpace();
    if (AtEnd() || Here() != '"') return Fail("looking for beginning of object key string");
    if (!String()) return false;
    SkipSpace();
    if (AtEnd() || Here() != ':') return Fail("after object key");
    ++place_;
    return true;
  }

  // Scans after a value inside a container.
  bool Next() {
    SkipSpace();
    const bool is_object = open_.back() == '}';
    if (!AtEnd() && Here() == open_.back()) {
      open_.pop_back();
      ++place_;
      return true;
    }
    if (AtEnd() || Here() != ',') {
      return Fail(is_object ? "after object key:value pair" : "after array element");
    }
    ++place_;
    return is_object ? Key() && Value() : Value();
  }

  bool String() {
    for (++place_; !AtEnd() && Here() != '"'; ++place_) {
      if (static_cast<unsigned char>(Here()) < 0x20) return Fail("in string literal");
      if (Here() == '\\' && !Escape()) return false;
    }
    if (AtEnd()) return Fail("");
    ++place_;
    return true;
  }

  // Stops at the last character of the escape.
  bool Escape() {
    ++place_;
    if (AtEnd()) return Fail("");
    if (Here() != 'u') {
      return std::string_view("bfnrt\\/\"").find(Here()) != std::string_view::npos ||
             Fail("in string escape code");
    }
    for (int digit = 0; digit < 4; ++digit) {
      ++place_;
      if (AtEnd() || text::HexValue(Here()) < 0) return Fail("in \\u hexadecimal character escape");
    }
    return true;
  }

  bool Literal(std::string_view literal) {
    for (size_t i = 1; i < literal.size(); ++i) {
      ++place_;
      if (AtEnd() || Here() != literal[i]) {
        return Fail("in literal " + std::string(literal) + " (expecting '" + literal[i] + "')");
      }
    }
    ++place_;
    return true;
  }

  bool Digits(std::string_view context) {
    if (AtEnd() || !IsDigit(Here())) return Fail(context);
    while (!AtEnd() && IsDigit(Here())) ++place_;
    return true;
  }

  bool Number() {
    if (Here() == '-') ++place_;
    if (!AtEnd() && Here() == '0') {
      ++place_;
    } else if (!Digits("in numeric literal")) {
      return false;
    }
    if (!AtEnd() && Here() == '.') {
      ++place_;
      if (!Digits("after decimal point in numeric literal")) return false;
    }
    if (AtEnd() || (Here() != 'e' && Here() != 'E')) return true;
    ++place_;
    if (!AtEnd() && (Here() == '+' || Here() == '-')) ++place_;
    return Digits("in exponent of numeric literal");
  }

  const std::string_view text_;
  size_t place_ = 0;
  std::vector<char> open_;  // the closing brackets of open containers
  std::string error_;
};

}  // namespace

std::string JsonSyntaxError(std::string_view text) { return Scanner(text).Run(); }

std::string_view JsonName(const json::Value& value) {
  switch (value.kind()) {
    case json::Value::Kind::kNull:
      return "null";
    case json::Value::Kind::kBool:
      return "bool";
    case json::Value::Kind::kInteger:
    case json::Value::Kind::kDouble:
      return "number";
    case json::Value::Kind::kString:
      return "string";
    case json::Value::Kind::kArray:
      return "array";
    case json::Value::Kind::kObject:
      return "object";
  }
  return "";
}

}  // namespace capstan::testing::server
