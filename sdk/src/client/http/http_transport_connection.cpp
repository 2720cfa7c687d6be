#include "client/http/http_transport_connection.h"

#include <algorithm>
#include <utility>

#include <capstan/runtime/format.h>

namespace capstan::client {
namespace {

// Only body bytes that arrive with the framing are buffered. The rest goes to the caller's buffer.
constexpr size_t kReadAhead = 4096;
constexpr http::ChunkLimits kChunkLimits{.line = 8192, .trailer = Connection::kMaxHeadBytes};
constexpr http::HeadLimits kHeadLimits{.line = Connection::kMaxHeadBytes,
                                       .head = Connection::kMaxHeadBytes,
                                       .fields = 200,
                                       .empty_lines = 0};

Status Malformed(std::string_view what) {
  return {StatusReason::kTransport, Format("malformed HTTP response: {}", what)};
}

Status TooLargeHead() {
  return Malformed(Format("its headers are larger than {} bytes", Connection::kMaxHeadBytes));
}

// The error of a head without an end.
Status BadHead(http::HeadScanner::State state) {
  switch (state) {
    case http::HeadScanner::State::kLineTooLong:
    case http::HeadScanner::State::kTooLong:
      return TooLargeHead();
    case http::HeadScanner::State::kTooManyFields:
      return Malformed(Format("it has more than {} headers", kHeadLimits.fields));
    default:
      return Malformed("a header line does not end with CR");
  }
}

Status BadChunk(http::ChunkDecoder::State state) {
  switch (state) {
    case http::ChunkDecoder::State::kBadEnd:
      return Malformed("a chunk is longer than its size");
    case http::ChunkDecoder::State::kLongTrailer:
      return Malformed("trailer too large");
    default:
      return Malformed("bad chunk size");
  }
}

}  // namespace

Connection::Connection(std::unique_ptr<Stream> stream) : stream_(std::move(stream)) {}

Status Connection::EndOfStream() const {
  return {StatusReason::kTransport, bytes_received_ == 0
                                        ? "connection closed by the server before it responded"
                                        : "connection closed in the middle of the response"};
}

Status Connection::Fail(Status status) {
  failure_ = status;
  return status;
}

Status Connection::Fill() {
  buffer_.erase(0, std::exchange(taken_, 0));
  const size_t size = buffer_.size();
  buffer_.resize(size + kReadAhead);
  const Result<size_t> count = stream_->Read(buffer_.data() + size, kReadAhead, *scope_);
  buffer_.resize(size + (count ? *count : 0));
  if (!count) return count.status();
  if (*count == 0) return EndOfStream();
  bytes_received_ += *count;
  return Status::Ok();
}

Result<size_t> Connection::ReadSome(char* buffer, size_t size) {
  if (const std::string_view buffered = Buffered(); !buffered.empty()) {
    const size_t count = buffered.copy(buffer, size);
    Keep(buffered.substr(count));
    return count;
  }
  Result<size_t> count = stream_->Read(buffer, size, *scope_);
  if (count) bytes_received_ += *count;
  return count;
}

Status Connection::Send(std::string_view message, const RequestScope& scope) {
  scope_ = &scope;
  body_ = Body::kNone;
  bytes_sent_ = 0;
  bytes_received_ = 0;
  Status status = stream_->Write(message, scope, bytes_sent_);
  return status.ok() ? status : Fail(std::move(status));
}

// `total` counts the bytes of interim responses too, because their number is not limited.
Status Connection::ReadHead(http::AnswerHead& head, size_t& total) {
  http::HeadScanner scanner(kHeadLimits);
  while (true) {
    std::string_view rest = Buffered();
    std::string_view lines;
    const http::HeadScanner::State state = scanner.Feed(rest, lines);
    if (state == http::HeadScanner::State::kMore) {
      if (Status status = Fill(); !status.ok()) return status;
      continue;
    }
    if (state != http::HeadScanner::State::kComplete) return BadHead(state);
    total += lines.size();
    if (total > kMaxHeadBytes) return TooLargeHead();
    auto line = http::ParseStatusLine(*http::TakeLine(lines));
    if (!line) return Malformed("its first line is not an HTTP/1 status line");
    head.line = *std::move(line);
    head.fields.clear();
    if (!http::ParseFields(lines, head.fields)) return Malformed("a header is malformed");
    Keep(rest);
    return Status::Ok();
  }
}

Status Connection::SetBody(const http::AnswerHead& head, bool expect_body) {
  const int status = head.line.status;
  if (status < 200 || status > 599) return Malformed(Format("its status is {}", status));
  keep_alive_ = http::KeepsAlive(head.fields, head.line.is_http_1_0);
  left_ = 0;
  if (!expect_body || status == 204 || status == 304) {
    body_ = Body::kDone;
    return Status::Ok();
  }
  const http::BodyLength length = http::LengthOf(head.fields);
  switch (length.kind) {
    case http::BodyLength::Kind::kUnknown:
      return Malformed("unknown Transfer-Encoding");
    case http::BodyLength::Kind::kUnclear:
    case http::BodyLength::Kind::kTooLarge:
      return Malformed("bad Content-Length");
    case http::BodyLength::Kind::kChunked:
      body_ = Body::kChunked;
      chunks_ = http::ChunkDecoder(kChunkLimits);
      // A second length can smuggle requests through proxies, so the connection is closed.
      if (length.is_doubtful) keep_alive_ = false;
      break;
    case http::BodyLength::Kind::kSized:
      left_ = length.size;
      body_ = left_ == 0 ? Body::kDone : Body::kLength;
      break;
    case http::BodyLength::Kind::kNone:
      body_ = Body::kUntilClose;
      keep_alive_ = false;
      break;
  }
  return Status::Ok();
}

Status Connection::ReceiveHead(http::AnswerHead& head, bool expect_body) {
  constexpr int kSwitching = 101;
  if (!failure_.ok()) return failure_;
  size_t total = 0;
  do {
    if (Status status = ReadHead(head, total); !status.ok()) return Fail(std::move(status));
  } while (head.line.status >= 100 && head.line.status < 200 && head.line.status != kSwitching);
  Status status = SetBody(head, expect_body);
  return status.ok() ? status : Fail(std::move(status));
}

Result<uint64_t> Connection::ReachChunk() {
  while (true) {
    std::string_view rest = Buffered();
    const http::ChunkDecoder::State state = chunks_.Next(rest);
    Keep(rest);
    switch (state) {
      case http::ChunkDecoder::State::kData:
        return chunks_.remaining();
      case http::ChunkDecoder::State::kDone:
        return uint64_t{0};
      case http::ChunkDecoder::State::kMore:
        if (Status status = Fill(); !status.ok()) return status;
        break;
      default:
        return BadChunk(state);
    }
  }
}

Result<size_t> Connection::ReadFramed(char* buffer, size_t size) {
  uint64_t most = body_ == Body::kUntilClose ? size : left_;
  if (body_ == Body::kChunked) {
    const Result<uint64_t> chunk = ReachChunk();
    if (!chunk) return chunk.status();
    most = *chunk;
    if (most == 0) {
      body_ = Body::kDone;
      return size_t{0};
    }
  }
  Result<size_t> count = ReadSome(buffer, static_cast<size_t>(std::min<uint64_t>(size, most)));
  if (!count) return count;
  if (*count == 0 && body_ != Body::kUntilClose) return EndOfStream();
  if (*count == 0) body_ = Body::kDone;
  if (body_ == Body::kChunked) chunks_.Take(*count);
  if (body_ == Body::kLength) left_ -= *count;
  if (body_ == Body::kLength && left_ == 0) body_ = Body::kDone;
  return count;
}

Result<size_t> Connection::ReadBody(char* buffer, size_t size) {
  if (!failure_.ok()) return failure_;
  if (body_ == Body::kDone || size == 0) return size_t{0};
  Result<size_t> count = ReadFramed(buffer, size);
  return count ? count : Fail(count.status());
}

bool Connection::Reusable() const {
  return keep_alive_ && body_ == Body::kDone && failure_.ok() && Buffered().empty();
}

Result<std::unique_ptr<Stream>> Connection::TakeStream() {
  if (!Buffered().empty()) return Malformed("unexpected bytes after the proxy's response");
  return std::move(stream_);
}

}  // namespace capstan::client
