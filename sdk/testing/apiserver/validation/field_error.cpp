#include "apiserver/validation/field_error.h"

#include <set>

#include "base/json/json_text.h"
#include "base/text/hex.h"

namespace capstan::testing::server {
namespace {

// The texts of an error type: the reason of a cause, and the start of the message.
struct TypeTexts {
  std::string_view reason;
  std::string_view message;
};

TypeTexts TextsOf(FieldError::Type type) {
  switch (type) {
    case FieldError::Type::kRequired:
      return {"FieldValueRequired", "Required value"};
    case FieldError::Type::kInvalid:
      return {"FieldValueInvalid", "Invalid value"};
    case FieldError::Type::kNotSupported:
      return {"FieldValueNotSupported", "Unsupported value"};
    case FieldError::Type::kForbidden:
      return {"FieldValueForbidden", "Forbidden"};
    case FieldError::Type::kTooLong:
      return {"FieldValueTooLong", "Too long"};
    case FieldError::Type::kTooMany:
      return {"FieldValueTooMany", "Too many"};
    case FieldError::Type::kDuplicate:
      return {"FieldValueDuplicate", "Duplicate value"};
    case FieldError::Type::kNotFound:
      return {"FieldValueNotFound", "Not found"};
    case FieldError::Type::kTypeInvalid:
      return {"FieldValueTypeInvalid", "Invalid value"};
  }
  return {"FieldValueInvalid", "Invalid value"};
}

// JSON as Go's encoder formats it: characters special in HTML are escaped.
std::string GoJson(const json::Value& value) {
  std::string out;
  for (const char c : json::ToJson(value)) {
    switch (c) {
      case '<':
        out += "\\u003c";
        break;
      case '>':
        out += "\\u003e";
        break;
      case '&':
        out += "\\u0026";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string Printed(const json::Value& value) {
  return value.IsString() ? Quoted(value.AsString()) : GoJson(value);
}

std::string Counted(int64_t count, std::string_view noun) {
  std::string text = std::to_string(count) + " " + std::string(noun);
  if (count != 1) text += 's';
  return text;
}

void AppendHexEscape(std::string& out, char byte) {
  out += "\\x";
  text::AppendHexByte(out, byte);
}

void AppendControl(std::string& out, char c) {
  constexpr std::string_view kControls = "\a\b\f\n\r\t\v";
  constexpr std::string_view kLetters = "abfnrtv";
  const size_t place = kControls.find(c);
  if (place == std::string_view::npos) {
    AppendHexEscape(out, c);
  } else {
    out += '\\';
    out += kLetters[place];
  }
}

}  // namespace

std::string Quoted(std::string_view text) {
  const bool is_text = json::IsValidUtf8(text);
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      AppendControl(out, c);
    } else if (byte >= 0x80 && !is_text) {
      AppendHexEscape(out, c);
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string_view FieldError::Reason() const { return TextsOf(type).reason; }

std::string FieldError::Body() const {
  std::string text(TextsOf(type).message);
  const bool prints_value =
      type != Type::kRequired && type != Type::kForbidden && type != Type::kTooLong;
  if (prints_value && !value.empty()) text += ": " + value;
  if (!detail.empty()) text += ": " + detail;
  return text;
}

void FieldErrors::Required(std::string field, std::string detail) {
  Add({FieldError::Type::kRequired, std::move(field), {}, std::move(detail)});
}

void FieldErrors::Invalid(std::string field, const json::Value& value, std::string detail) {
  Add({FieldError::Type::kInvalid, std::move(field), Printed(value), std::move(detail)});
}

void FieldErrors::NotSupported(std::string field, const json::Value& value,
                               const std::vector<std::string>& supported) {
  std::string detail;
  for (const std::string& one : supported) {
    detail += detail.empty() ? "supported values: " : ", ";
    detail += Quoted(one);
  }
  Add({FieldError::Type::kNotSupported, std::move(field), Printed(value), std::move(detail)});
}

void FieldErrors::Forbidden(std::string field, std::string detail) {
  Add({FieldError::Type::kForbidden, std::move(field), {}, std::move(detail)});
}

void FieldErrors::TooLong(std::string field, int64_t most) {
  Add({FieldError::Type::kTooLong,
       std::move(field),
       {},
       "may not be more than " + Counted(most, "byte")});
}

void FieldErrors::TooMany(std::string field, int64_t actual, int64_t most) {
  Add({FieldError::Type::kTooMany, std::move(field), std::to_string(actual),
       "must have at most " + Counted(most, "item")});
}

void FieldErrors::Duplicate(std::string field, const json::Value& value) {
  Add({FieldError::Type::kDuplicate, std::move(field), Printed(value), {}});
}

void FieldErrors::NotFound(std::string field, const json::Value& value) {
  Add({FieldError::Type::kNotFound, std::move(field), Printed(value), {}});
}

std::string FieldErrors::ToString() const {
  std::set<std::string> texts;
  std::string all;
  for (const FieldError& error : errors_) {
    const auto [text, is_new] = texts.insert(error.field + ": " + error.Body());
    if (!is_new) continue;
    if (!all.empty()) all += ", ";
    all += *text;
  }
  return texts.size() == 1 ? all : "[" + all + "]";
}

}  // namespace capstan::testing::server
