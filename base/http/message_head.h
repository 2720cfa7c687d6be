#pragma once

/// Heads of HTTP/1.1 requests and responses (RFC 9112). Parsing is strict: lines end with CRLF,
/// headers are not folded, and no name or value holds a control character. A proxy in front may
/// interpret ambiguous input differently, so ambiguous input is refused.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/ascii.h"

namespace capstan::http {

/// Header names and values, in order of appearance.
using Fields = std::vector<std::pair<std::string, std::string>>;

struct HeadLimits {
  size_t line = 8 << 10;   ///< bytes of the first line
  size_t head = 32 << 10;  ///< bytes of all lines
  size_t fields = 100;
  size_t empty_lines = 4;  ///< before the first line; a previous message may leave some
};

/// HeadScanner: finds the end of a head in bytes that arrive in pieces. Each byte is examined once.
/// Threads: used by one thread at a time.
class HeadScanner {
 public:
  enum class State { kMore, kComplete, kLineTooLong, kTooLong, kTooManyFields, kBadLineEnd };

  explicit HeadScanner(const HeadLimits& limits) : limits_(limits) {}

  /// `rest` must start with the bytes of the head received so far: what the previous Feed left in
  /// it, followed by new bytes. Removes empty lines from its front. When the head is complete,
  /// removes it too and sets `head` to its lines, each with its CRLF, without the final empty line.
  State Feed(std::string_view& rest, std::string_view& head);

 private:
  HeadLimits limits_;
  size_t scanned_ = 0;  // bytes of `rest` already scanned
  size_t line_begin_ = 0;
  size_t lines_ = 0;
  size_t empty_lines_ = 0;
};

/// Removes a line with its CRLF from the front of `rest`. Returns nullopt if the line is
/// incomplete.
std::optional<std::string_view> TakeLine(std::string_view& rest);

/// Parses header lines, each with its CRLF, and appends them to `fields`. Returns false if one is
/// malformed.
bool ParseFields(std::string_view lines, Fields& fields);

bool IsToken(std::string_view text);
size_t CountFields(const Fields& fields, std::string_view name);
/// The value of the first field with this name, compared case-insensitively, or "".
std::string_view FieldValue(const Fields& fields, std::string_view name);
/// The values of all fields with this name, joined with ", ".
inline std::string AllFieldValues(const Fields& fields, std::string_view name) {
  std::string all;
  for (const auto& [key, value] : fields) {
    if (!text::EqualIgnoringCase(key, name)) continue;
    if (!all.empty()) all += ", ";
    all += value;
  }
  return all;
}
/// Whether `value` is one of the comma-separated values of `name`. Case is ignored.
bool FieldHasValue(const Fields& fields, std::string_view name, std::string_view value);

/// Whether the connection stays open for another message.
bool KeepsAlive(const Fields& fields, bool is_http_1_0);

/// The body length that the fields declare.
struct BodyLength {
  enum class Kind {
    kNone,      ///< no length is declared
    kSized,     ///< `size`
    kChunked,   ///< takes precedence over a Content-Length: see `is_doubtful`
    kTooLarge,  ///< the length does not fit in 64 bits
    kUnclear,   ///< a Content-Length that is not a number, or several that differ
    kUnknown,   ///< a transfer encoding other than chunked
  };
  Kind kind = Kind::kNone;
  uint64_t size = 0;
  /// The length is declared more than once. Request smuggling attacks do this.
  bool is_doubtful = false;
};
BodyLength LengthOf(const Fields& fields);

struct StatusLine {
  bool is_http_1_0 = false;
  int status = 0;
  std::string reason;
};
/// Returns nullopt if `line`, without its CRLF, is not a status line of HTTP/1.0 or 1.1.
std::optional<StatusLine> ParseStatusLine(std::string_view line);

/// A response without its body.
struct AnswerHead {
  StatusLine line;
  Fields fields;
};

}  // namespace capstan::http
