#pragma once

/// The heads of HTTP/1.1 messages, requests and answers alike (RFC 9112). It is strict: lines end
/// with CRLF, headers are not folded, no name or value holds a control character. What a recipient
/// may take in two ways, a proxy before it may take in the other one.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace capstan::http {

/// Names and values, in their order.
using Fields = std::vector<std::pair<std::string, std::string>>;

struct HeadLimits {
  size_t line = 8 << 10;   ///< of the first line
  size_t head = 32 << 10;  ///< of all lines
  size_t fields = 100;
  size_t empty_lines = 4;  ///< before the first line; they may be left from a message before
};

/// HeadScanner: finds the end of a head in bytes that come piece by piece, without looking at any
/// byte twice. Threads: one at a time.
class HeadScanner {
 public:
  enum class State { kMore, kComplete, kLineTooLong, kTooLong, kTooManyFields, kBadLineEnd };

  explicit HeadScanner(const HeadLimits& limits) : limits_(limits) {}

  /// `rest` begins with the head, or with what has come of it: what Feed has left of it before, and
  /// more. Takes empty lines off its front. When complete, takes the head off too and sets `head`:
  /// its lines, each with its CRLF, without the empty line at the end.
  State Feed(std::string_view& rest, std::string_view& head);

 private:
  HeadLimits limits_;
  size_t scanned_ = 0;  // of `rest`
  size_t line_begin_ = 0;
  size_t lines_ = 0;
  size_t empty_lines_ = 0;
};

/// Takes a line with its CRLF off `rest`. None when its end has not come yet.
std::optional<std::string_view> TakeLine(std::string_view& rest);

/// Adds the fields of header lines, each with its CRLF. False when one is malformed.
bool ParseFields(std::string_view lines, Fields& fields);

bool IsToken(std::string_view text);
size_t CountFields(const Fields& fields, std::string_view name);
/// The value of the first such field, its name in any case, or "".
std::string_view FieldValue(const Fields& fields, std::string_view name);
/// Whether one of the comma-separated values of `name` is `value`, in any case.
bool FieldHasValue(const Fields& fields, std::string_view name, std::string_view value);

/// Whether another message follows on the connection.
bool KeepsAlive(const Fields& fields, bool is_http_1_0);

/// What the fields say of the body's length.
struct BodyLength {
  enum class Kind {
    kNone,      ///< nothing
    kSized,     ///< `size`
    kChunked,   ///< also when there is a Content-Length as well: see `is_doubtful`
    kTooLarge,  ///< a number over 2^64
    kUnclear,   ///< a Content-Length that is no number, or several that differ
    kUnknown,   ///< a transfer encoding other than chunked
  };
  Kind kind = Kind::kNone;
  uint64_t size = 0;
  /// It says the length more than once. Requests are smuggled through proxies in this way.
  bool is_doubtful = false;
};
BodyLength LengthOf(const Fields& fields);

struct StatusLine {
  bool is_http_1_0 = false;
  int status = 0;
  std::string reason;
};
/// None when `line`, without its CRLF, is no status line of HTTP/1.0 or 1.1.
std::optional<StatusLine> ParseStatusLine(std::string_view line);

/// An answer without its body.
struct AnswerHead {
  StatusLine line;
  Fields fields;
};

}  // namespace capstan::http
