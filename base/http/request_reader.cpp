#include "base/http/request_reader.h"

#include <algorithm>
#include <utility>

#include "base/text/ascii.h"

namespace capstan::http {
namespace {

/// Returns the "/path" of "http://host/path".
std::string_view PathOfTarget(std::string_view target) {
  const size_t scheme = target.find("://");
  if (target.starts_with('/') || scheme == std::string_view::npos) return target;
  const size_t path = target.find('/', scheme + 3);
  return path == std::string_view::npos ? "/" : target.substr(path);
}

}  // namespace

RequestReader::RequestReader(const RequestLimits& limits)
    : limits_(limits),
      scanner_({.line = limits.line, .head = limits.head, .fields = limits.headers}) {}

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
    case Part::kChunks:
      return FeedChunks(rest);
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
  std::string_view head;
  const HeadScanner::State state = scanner_.Feed(rest, head);
  begun_ = state != HeadScanner::State::kMore || !rest.empty();
  switch (state) {
    case HeadScanner::State::kMore:
      return;
    case HeadScanner::State::kComplete:
      return ParseHead(head);
    case HeadScanner::State::kLineTooLong:
      return Refuse(414, "the request's first line is too long");
    case HeadScanner::State::kTooLong:
      return Refuse(431, "the request's headers are too long");
    case HeadScanner::State::kTooManyFields:
      return Refuse(431, "the request has too many headers");
    case HeadScanner::State::kBadLineEnd:
      return Refuse(400, "a line does not end with CR");
  }
}

void RequestReader::ParseHead(std::string_view head) {
  if (!ParseFirstLine(*TakeLine(head))) return;
  if (!ParseFields(head, request_.headers)) return Refuse(400, "a header is malformed");
  if (ParseConnection()) ParseFraming();
}

bool RequestReader::ParseFirstLine(std::string_view line) {
  const size_t first = std::min(line.find(' '), line.size());
  const size_t last = line.rfind(' ');
  const std::string_view method = line.substr(0, first);
  if (!IsToken(method) || last == std::string_view::npos || last <= first) {
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
    return Refused(505, "only HTTP/1.1 is supported");
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

bool RequestReader::ParseConnection() {
  const size_t hosts = CountFields(request_.headers, "Host");
  if (hosts > 1 || (hosts == 0 && !is_http_1_0_)) {
    return Refused(400, "a request must have exactly one Host header");
  }
  keeps_alive_ = http::KeepsAlive(request_.headers, is_http_1_0_);
  return true;
}

bool RequestReader::ParseFraming() {
  const BodyLength length = LengthOf(request_.headers);
  const bool has_encoding = CountFields(request_.headers, "Transfer-Encoding") > 0;
  if (length.is_doubtful || length.kind == BodyLength::Kind::kUnclear ||
      (has_encoding && is_http_1_0_)) {
    return Refused(400, "the length of the body is ambiguous");
  }
  if (length.kind == BodyLength::Kind::kUnknown) {
    return Refused(501, "the only supported transfer encoding is chunked");
  }
  if (length.kind == BodyLength::Kind::kChunked) {
    part_ = Part::kChunks;
    return ParseExpectation();
  }
  return ParseLength(length) && ParseExpectation();
}

bool RequestReader::ParseLength(const BodyLength& length) {
  const std::string& method = request_.method;
  if (length.kind == BodyLength::Kind::kNone && limits_.needs_length &&
      (method == "PUT" || method == "POST" || method == "PATCH")) {
    return Refused(411, "the body needs a Content-Length");
  }
  remaining_ = length.size;
  if (length.kind == BodyLength::Kind::kTooLarge || remaining_ > limits_.body) {
    return Refused(413, "the body is too large");
  }
  part_ = remaining_ == 0 ? Part::kDone : Part::kSized;
  return true;
}

bool RequestReader::ParseExpectation() {
  const std::string expectation = request_.Header("Expect");
  if (expectation.empty() || is_http_1_0_) return true;
  if (!text::EqualIgnoringCase(expectation, "100-continue")) {
    return Refused(417, "the only supported expectation is 100-continue");
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

void RequestReader::FeedChunks(std::string_view& rest) {
  switch (chunks_.Next(rest)) {
    case ChunkDecoder::State::kMore:
      return;
    case ChunkDecoder::State::kData:
      break;
    case ChunkDecoder::State::kDone:
      part_ = Part::kDone;
      return;
    case ChunkDecoder::State::kBadSize:
      return Refuse(400, "a chunk's size is malformed");
    case ChunkDecoder::State::kBadEnd:
      return Refuse(400, "a chunk is longer than its size");
    case ChunkDecoder::State::kLongTrailer:
      return Refuse(431, "the trailer is too long");
  }
  const uint64_t room = limits_.body - request_.body.size();
  if (chunks_.remaining() > room) return Refuse(413, "the body is too large");
  const auto size = static_cast<size_t>(std::min<uint64_t>(chunks_.remaining(), rest.size()));
  request_.body.append(rest.substr(0, size));
  rest.remove_prefix(size);
  chunks_.Take(size);
}

}  // namespace capstan::http
