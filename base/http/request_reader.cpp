#include "base/http/request_reader.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text/ascii.h"

namespace capstan::http {
namespace {

constexpr size_t kMostEmptyLines = 4;
constexpr size_t kLongestChunkLine = 256;
constexpr size_t kLongestTrailer = 4 << 10;

bool IsTokenChar(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         (c != '\0' && std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos);
}

bool IsHttpToken(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsTokenChar);
}

bool IsControl(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }

std::string_view TrimmedField(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

/// "/path" of "http://host/path".
std::string_view PathOfTarget(std::string_view target) {
  const size_t scheme = target.find("://");
  if (target.starts_with('/') || scheme == std::string_view::npos) return target;
  const size_t path = target.find('/', scheme + 3);
  return path == std::string_view::npos ? "/" : target.substr(path);
}

bool FieldListHas(std::string_view list, std::string_view name) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    if (text::EqualIgnoringCase(TrimmedField(list.substr(0, comma)), name)) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

template <class Number>
bool ParseWholeNumber(std::string_view text, int base, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number, base);
  return !text.empty() && error == std::errc() && rest == end;
}

/// Takes a line with its CRLF off `rest`. None when its end has not come yet.
std::optional<std::string_view> TakeCrlfLine(std::string_view& rest) {
  const size_t end = rest.find("\r\n");
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end + 2);
  return line;
}

}  // namespace

RequestReader::State RequestReader::Feed(std::string& input) {
  std::string_view rest = input;
  while (true) {
    const Part part = part_;
    const size_t size = rest.size();
    Step(rest);
    if (part_ == part && rest.size() == size) break;
  }
  input.erase(0, input.size() - rest.size());
  if (part_ == Part::kDone) return State::kComplete;
  return part_ == Part::kRefused ? State::kRefused : State::kMore;
}

void RequestReader::Step(std::string_view& rest) {
  switch (part_) {
    case Part::kHead:
      return FeedHead(rest);
    case Part::kSized:
      return FeedSized(rest);
    case Part::kChunkSize:
      return FeedChunkSize(rest);
    case Part::kChunk:
      return FeedChunk(rest);
    case Part::kChunkEnd:
      return FeedChunkEnd(rest);
    case Part::kTrailer:
      return FeedTrailer(rest);
    case Part::kDone:
    case Part::kRefused:
      return;
  }
}

void RequestReader::Refuse(int status, std::string why) {
  refusal_ = {.status = status, .body = std::move(why) + "\n"};
  part_ = Part::kRefused;
  keeps_alive_ = false;
}

bool RequestReader::Refused(int status, std::string why) {
  Refuse(status, std::move(why));
  return false;
}

void RequestReader::FeedHead(std::string_view& rest) {
  if (!rest.empty()) begun_ = true;
  while (scanned_ < rest.size()) {
    const bool at_end_of_line = rest[scanned_++] == '\n';
    if (lines_ == 0 && scanned_ - line_begin_ > limits_.line) {
      return Refuse(414, "the request's first line is too long");
    }
    if (scanned_ > limits_.head) return Refuse(431, "the request's headers are too long");
    if (!at_end_of_line) continue;
    const size_t length = scanned_ - line_begin_;
    if (length < 2 || rest[scanned_ - 2] != '\r') return Refuse(400, "a line ends without CR");
    line_begin_ = scanned_;
    if (length == 2 && lines_ == 0) {
      // An empty line may be left from a request before.
      if (++empty_lines_ > kMostEmptyLines) return Refuse(400, "bad request");
      rest.remove_prefix(scanned_);
      scanned_ = line_begin_ = 0;
      begun_ = !rest.empty();
    } else if (length == 2) {
      const std::string_view head = rest.substr(0, scanned_ - 2);
      rest.remove_prefix(scanned_);
      return ParseHead(head);
    } else if (++lines_ > limits_.headers + 1) {
      return Refuse(431, "the request has too many headers");
    }
  }
}

void RequestReader::ParseHead(std::string_view head) {
  if (!ParseFirstLine(*TakeCrlfLine(head))) return;
  while (!head.empty()) {
    if (!ParseHeader(*TakeCrlfLine(head))) return;
  }
  if (ParseConnection()) ParseFraming();
}

bool RequestReader::ParseFirstLine(std::string_view line) {
  const size_t first = std::min(line.find(' '), line.size());
  const size_t last = line.rfind(' ');
  const std::string_view method = line.substr(0, first);
  if (!IsHttpToken(method) || last == std::string_view::npos || last <= first) {
    return Refused(400, "bad request");
  }
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  const bool is_clean = std::all_of(target.begin(), target.end(), [](char c) {
    return static_cast<unsigned char>(c) > 0x20 && c != 0x7f;
  });
  if (!is_clean || !version.starts_with("HTTP/")) return Refused(400, "bad request");
  is_http_1_0_ = version == "HTTP/1.0";
  if (!is_http_1_0_ && version != "HTTP/1.1") {
    return Refused(505, "only HTTP/1.1 is served here");
  }
  const std::string_view path = PathOfTarget(target);
  if (limits_.decodes_target) {
    auto parsed = ParseTarget(method, path);
    if (!parsed) return Refused(400, "bad request");
    request_ = *std::move(parsed);
  } else {
    request_.method = method;
  }
  request_.target = path;
  is_head_ = request_.method == "HEAD";
  return true;
}

bool RequestReader::ParseHeader(std::string_view line) {
  const size_t colon = std::min(line.find(':'), line.size());
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = TrimmedField(line.substr(std::min(colon + 1, line.size())));
  if (colon == line.size() || !IsHttpToken(name) ||
      std::any_of(value.begin(), value.end(), IsControl)) {
    return Refused(400, "a header is malformed");
  }
  request_.headers.emplace_back(name, value);
  return true;
}

size_t RequestReader::CountOf(std::string_view name) const {
  return static_cast<size_t>(std::count_if(
      request_.headers.begin(), request_.headers.end(),
      [&](const auto& header) { return text::EqualIgnoringCase(header.first, name); }));
}

bool RequestReader::ParseConnection() {
  const size_t hosts = CountOf("Host");
  if (hosts > 1 || (hosts == 0 && !is_http_1_0_)) {
    return Refused(400, "a request has one Host header");
  }
  keeps_alive_ = !is_http_1_0_;
  bool closes = false;
  for (const auto& [name, value] : request_.headers) {
    if (!text::EqualIgnoringCase(name, "Connection")) continue;
    closes = closes || FieldListHas(value, "close");
    keeps_alive_ = keeps_alive_ || FieldListHas(value, "keep-alive");
  }
  keeps_alive_ = keeps_alive_ && !closes;
  return true;
}

bool RequestReader::ParseFraming() {
  const size_t encodings = CountOf("Transfer-Encoding");
  if (encodings == 0) return ParseLength() && ParseExpectation();
  if (is_http_1_0_ || encodings > 1 || CountOf("Content-Length") > 0) {
    return Refused(400, "the length of the body is not clear");
  }
  if (!text::EqualIgnoringCase(request_.Header("Transfer-Encoding"), "chunked")) {
    return Refused(501, "the only transfer encoding is chunked");
  }
  part_ = Part::kChunkSize;
  return ParseExpectation();
}

bool RequestReader::ParseLength() {
  const size_t lengths = CountOf("Content-Length");
  const std::string& method = request_.method;
  if (lengths == 0 && limits_.needs_length &&
      (method == "PUT" || method == "POST" || method == "PATCH")) {
    return Refused(411, "the body needs a Content-Length");
  }
  const std::string length = request_.Header("Content-Length");
  if (lengths > 1 || length.find_first_not_of("0123456789") != std::string::npos ||
      (lengths == 1 && length.empty())) {
    return Refused(400, "the length of the body is not clear");
  }
  if (lengths == 1 && (!ParseWholeNumber(length, 10, remaining_) || remaining_ > limits_.body)) {
    return Refused(413, "the body is too large");
  }
  part_ = remaining_ == 0 ? Part::kDone : Part::kSized;
  return true;
}

bool RequestReader::ParseExpectation() {
  const std::string expectation = request_.Header("Expect");
  if (expectation.empty() || is_http_1_0_) return true;
  if (!text::EqualIgnoringCase(expectation, "100-continue")) {
    return Refused(417, "the only expectation is 100-continue");
  }
  expects_continue_ = part_ != Part::kDone;
  return true;
}

bool RequestReader::TakeExpectation() {
  const bool nothing_came = request_.body.empty() && part_ != Part::kDone;
  return std::exchange(expects_continue_, false) && nothing_came;
}

void RequestReader::FeedSized(std::string_view& rest) {
  const size_t size = static_cast<size_t>(std::min<uint64_t>(remaining_, rest.size()));
  request_.body.append(rest.substr(0, size));
  rest.remove_prefix(size);
  remaining_ -= size;
  if (remaining_ == 0) part_ = Part::kDone;
}

void RequestReader::FeedChunkSize(std::string_view& rest) {
  const auto line = TakeCrlfLine(rest);
  if (!line && rest.size() <= kLongestChunkLine) return;
  const std::string_view size = line ? TrimmedField(line->substr(0, line->find(';'))) : "";
  if (size.size() > 8 || !ParseWholeNumber(size, 16, remaining_)) {
    return Refuse(400, "a chunk's size is malformed");
  }
  if (request_.body.size() + remaining_ > limits_.body) return Refuse(413, "the body is too large");
  part_ = remaining_ == 0 ? Part::kTrailer : Part::kChunk;
}

void RequestReader::FeedChunk(std::string_view& rest) {
  FeedSized(rest);
  if (part_ == Part::kDone) part_ = Part::kChunkEnd;
}

void RequestReader::FeedChunkEnd(std::string_view& rest) {
  if (rest.size() < 2) return;
  if (!rest.starts_with("\r\n")) return Refuse(400, "a chunk is longer than its size");
  rest.remove_prefix(2);
  part_ = Part::kChunkSize;
}

void RequestReader::FeedTrailer(std::string_view& rest) {
  const auto line = TakeCrlfLine(rest);
  trailer_ += line ? line->size() + 2 : 0;
  if (trailer_ > kLongestTrailer || (!line && rest.size() > kLongestTrailer)) {
    return Refuse(431, "the trailer is too long");
  }
  if (line && line->empty()) part_ = Part::kDone;
}

}  // namespace capstan::http
