#include "base/http/message_head.h"

#include <algorithm>
#include <charconv>

namespace capstan::http {
namespace {

bool IsTokenChar(char c) {
  return text::IsAlphanumeric(c) ||
         (c != '\0' && std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos);
}

bool IsControl(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }

std::string_view WithoutBlanks(std::string_view text) { return text::Trimmed(text, " \t"); }

bool IsField(const std::pair<std::string, std::string>& field, std::string_view name) {
  return text::EqualIgnoringCase(field.first, name);
}

bool ListHas(std::string_view list, std::string_view value) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    if (text::EqualIgnoringCase(WithoutBlanks(list.substr(0, comma)), value)) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

BodyLength ContentLengthOf(const Fields& fields) {
  BodyLength length;
  for (const auto& field : fields) {
    if (!IsField(field, "Content-Length")) continue;
    const std::string& value = field.second;
    if (value.empty() || value.find_first_not_of("0123456789") != std::string::npos) {
      return {.kind = BodyLength::Kind::kUnclear};
    }
    uint64_t size = 0;
    const auto parsed = std::from_chars(value.data(), value.data() + value.size(), size);
    const auto kind =
        parsed.ec == std::errc() ? BodyLength::Kind::kSized : BodyLength::Kind::kTooLarge;
    if (length.kind != BodyLength::Kind::kNone) {
      if (kind != length.kind || size != length.size) return {.kind = BodyLength::Kind::kUnclear};
      length.is_doubtful = true;
    }
    length.kind = kind;
    length.size = size;
  }
  return length;
}

}  // namespace

HeadScanner::State HeadScanner::Feed(std::string_view& rest, std::string_view& head) {
  while (scanned_ < rest.size()) {
    const bool at_end_of_line = rest[scanned_++] == '\n';
    if (lines_ == 0 && scanned_ - line_begin_ > limits_.line) return State::kLineTooLong;
    if (scanned_ > limits_.head) return State::kTooLong;
    if (!at_end_of_line) continue;
    const size_t length = scanned_ - line_begin_;
    if (length < 2 || rest[scanned_ - 2] != '\r') return State::kBadLineEnd;
    line_begin_ = scanned_;
    if (length == 2 && lines_ == 0) {
      if (++empty_lines_ > limits_.empty_lines) return State::kBadLineEnd;
      rest.remove_prefix(scanned_);
      scanned_ = line_begin_ = 0;
    } else if (length == 2) {
      head = rest.substr(0, scanned_ - 2);
      rest.remove_prefix(scanned_);
      return State::kComplete;
    } else if (++lines_ > limits_.fields + 1) {
      return State::kTooManyFields;
    }
  }
  return State::kMore;
}

std::optional<std::string_view> TakeLine(std::string_view& rest) {
  const size_t end = rest.find("\r\n");
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end + 2);
  return line;
}

bool ParseFields(std::string_view lines, Fields& fields) {
  while (!lines.empty()) {
    const auto line = TakeLine(lines);
    if (!line) return false;
    const size_t colon = line->find(':');
    if (colon == std::string_view::npos) return false;
    const std::string_view name = line->substr(0, colon);
    const std::string_view value = WithoutBlanks(line->substr(colon + 1));
    if (!IsToken(name) || std::any_of(value.begin(), value.end(), IsControl)) return false;
    fields.emplace_back(name, value);
  }
  return true;
}

bool IsToken(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsTokenChar);
}

size_t CountFields(const Fields& fields, std::string_view name) {
  return static_cast<size_t>(std::count_if(
      fields.begin(), fields.end(), [&](const auto& field) { return IsField(field, name); }));
}

std::string_view FieldValue(const Fields& fields, std::string_view name) {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const auto& field) { return IsField(field, name); });
  return found == fields.end() ? std::string_view() : found->second;
}

bool FieldHasValue(const Fields& fields, std::string_view name, std::string_view value) {
  return std::any_of(fields.begin(), fields.end(), [&](const auto& field) {
    return IsField(field, name) && ListHas(field.second, value);
  });
}

bool KeepsAlive(const Fields& fields, bool is_http_1_0) {
  if (FieldHasValue(fields, "Connection", "close")) return false;
  return !is_http_1_0 || FieldHasValue(fields, "Connection", "keep-alive");
}

BodyLength LengthOf(const Fields& fields) {
  BodyLength length = ContentLengthOf(fields);
  const size_t encodings = CountFields(fields, "Transfer-Encoding");
  if (encodings == 0) return length;
  const bool is_doubtful = encodings > 1 || length.kind != BodyLength::Kind::kNone;
  const bool is_chunked =
      encodings == 1 && text::EqualIgnoringCase(FieldValue(fields, "Transfer-Encoding"), "chunked");
  return {.kind = is_chunked ? BodyLength::Kind::kChunked : BodyLength::Kind::kUnknown,
          .is_doubtful = is_doubtful};
}

std::optional<StatusLine> ParseStatusLine(std::string_view line) {
  constexpr std::string_view kVersion = "HTTP/1.";
  // "HTTP/1.1 200", followed by a blank and the reason unless the line ends here.
  constexpr size_t kShortest = 12;
  if (!line.starts_with(kVersion) || line.size() < kShortest) return std::nullopt;
  const char minor = line[kVersion.size()];
  const std::string_view code = line.substr(kShortest - 3, 3);
  const std::string_view reason = line.substr(kShortest);
  if ((minor != '0' && minor != '1') || line[kVersion.size() + 1] != ' ' ||
      !std::all_of(code.begin(), code.end(), text::IsDigit) ||
      !(reason.empty() || reason.starts_with(' ')) ||
      std::any_of(reason.begin(), reason.end(), IsControl)) {
    return std::nullopt;
  }
  StatusLine parsed{.is_http_1_0 = minor == '0', .reason = std::string(WithoutBlanks(reason))};
  for (const char digit : code) parsed.status = parsed.status * 10 + (digit - '0');
  return parsed;
}

}  // namespace capstan::http
