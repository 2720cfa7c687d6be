#pragma once

/// The only file that includes RapidJSON, so that every translation unit has the same
/// configuration.
///
/// Parsing is in place (strings are unescaped in the buffer) and iterative (nesting does not use
/// the stack). Numbers are passed as text: RapidJSON 1.1.0 can overflow in its exponent arithmetic
/// (CVE-2024-38517), and an int64 or a quantity must not pass through a double.

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include <capstan/runtime/status.h>

namespace capstan::json {

/// Thrown if an invariant of RapidJSON is violated. ParseInPlace converts it to a Status.
class AssertionFailed : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace capstan::json

#define RAPIDJSON_HAS_STDSTRING 1
#define RAPIDJSON_ASSERT(x) \
  ((x) ? static_cast<void>(0) : throw ::capstan::json::AssertionFailed("RapidJSON: " #x))
#if defined(__SSE2__)
#define RAPIDJSON_SSE2
#endif

#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

namespace capstan::json {

/// Adapts a Handler to RapidJSON. Handler has Null(), Bool(bool), Number(text), String(text),
/// Key(text), StartObject(), EndObject(), StartArray() and EndArray(). Each returns whether to
/// continue. The texts are views into the parsed buffer.
template <class Handler>
class SaxAdapter {
 public:
  using Ch = char;
  using SizeType = rapidjson::SizeType;

  explicit SaxAdapter(Handler& handler) : handler_(handler) {}

  bool Null() { return handler_.Null(); }
  bool Bool(bool value) { return handler_.Bool(value); }
  bool RawNumber(const char* text, SizeType size, bool) { return handler_.Number({text, size}); }
  bool String(const char* text, SizeType size, bool) { return handler_.String({text, size}); }
  bool Key(const char* text, SizeType size, bool) { return handler_.Key({text, size}); }
  bool StartObject() { return handler_.StartObject(); }
  bool EndObject(SizeType) { return handler_.EndObject(); }
  bool StartArray() { return handler_.StartArray(); }
  bool EndArray(SizeType) { return handler_.EndArray(); }
  // Never called, since numbers are parsed as text.
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(int64_t) { return false; }
  bool Uint64(uint64_t) { return false; }
  bool Double(double) { return false; }

 private:
  Handler& handler_;
};

/// Parses `text` as one JSON value. Anything but white space after it is an error. `text` is
/// overwritten. It grows by a few bytes, since vector instructions may read past its end. If a
/// handler stops the parsing, the Status says only "at byte N"; the handler knows the reason.
template <class Handler>
Status ParseInPlace(std::string& text, Handler& handler) {
  constexpr size_t kPadding = 16;
  constexpr unsigned kFlags = rapidjson::kParseInsituFlag | rapidjson::kParseIterativeFlag |
                              rapidjson::kParseNumbersAsStringsFlag;
  const size_t size = text.size();
  text.append(kPadding, '\0');
  try {
    rapidjson::InsituStringStream stream(text.data());
    rapidjson::Reader reader;
    SaxAdapter<Handler> adapter(handler);
    const rapidjson::ParseResult result = reader.Parse<kFlags>(stream, adapter);
    const std::string where = "at byte " + std::to_string(result ? stream.Tell() : result.Offset());
    if (result.Code() == rapidjson::kParseErrorTermination) return Status::Malformed(where);
    if (result.IsError()) {
      return Status::Malformed("not valid JSON " + where + ": " +
                               rapidjson::GetParseError_En(result.Code()));
    }
    if (stream.Tell() != size) return Status::Malformed("not valid JSON " + where + ": a NUL byte");
  } catch (const AssertionFailed& failure) {
    return Status::Malformed(failure.what());
  }
  return Status::Ok();
}

}  // namespace capstan::json
