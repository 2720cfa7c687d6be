#pragma once

/// HTTP/1.1 over one Stream, one exchange at a time.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <capstan/runtime/status.h>

#include "base/http/chunk_decoder.h"
#include "base/http/message_head.h"
#include "client/http/http_transport_stream.h"

namespace capstan::client {

class Connection {
 public:
  static constexpr size_t kMaxHeadBytes = size_t{64} * 1024;

  explicit Connection(std::unique_ptr<Stream> stream);

  /// Sends a complete request (head and body) and starts an exchange. The exchange uses `scope`
  /// until its body has been read.
  Status Send(std::string_view message, const RequestScope& scope);
  /// Reads the head. `expect_body`: whether a body may follow (not after HEAD and CONNECT).
  Status ReceiveHead(http::AnswerHead& head, bool expect_body);
  /// Returns 0 at the end of the body.
  Result<size_t> ReadBody(char* buffer, size_t size);

  /// Whether the body has been read to its end.
  bool body_done() const { return body_ == Body::kDone; }
  /// Whether another exchange may follow.
  bool Reusable() const;
  /// The bytes moved in this exchange. They tell whether it may be retried on another connection.
  size_t bytes_sent() const { return bytes_sent_; }
  size_t bytes_received() const { return bytes_received_; }

  bool IsIdle() const { return stream_->IsIdle(); }
  const TlsContext* tls_context() const { return stream_->tls_context(); }
  /// Releases the stream, after CONNECT. Bytes that arrived too early are an error.
  Result<std::unique_ptr<Stream>> TakeStream();

 private:
  enum class Body : uint8_t { kNone, kLength, kChunked, kUntilClose, kDone };

  std::string_view Buffered() const { return std::string_view(buffer_).substr(taken_); }
  // Keeps only `rest`, the end of the buffered bytes.
  void Keep(std::string_view rest) { taken_ = buffer_.size() - rest.size(); }
  // Appends received bytes to the buffer. The end of the stream is an error.
  Status Fill();
  // Reads into `buffer`, buffered bytes first. Returns 0 if the peer closed the stream.
  Result<size_t> ReadSome(char* buffer, size_t size);
  Status EndOfStream() const;
  Status Fail(Status status);
  Status ReadHead(http::AnswerHead& head, size_t& total);
  Status SetBody(const http::AnswerHead& head, bool expect_body);
  // The remaining bytes of the chunk, after its size has been read; 0 at the end of the body.
  Result<uint64_t> ReachChunk();
  Result<size_t> ReadFramed(char* buffer, size_t size);

  std::unique_ptr<Stream> stream_;
  const RequestScope* scope_ = nullptr;
  Status failure_;
  Body body_ = Body::kDone;
  bool keep_alive_ = true;
  uint64_t left_ = 0;  // remaining bytes of a body with a known length
  http::ChunkDecoder chunks_;
  std::string buffer_;  // received bytes; those from taken_ on are not consumed yet
  size_t taken_ = 0;
  size_t bytes_sent_ = 0;
  size_t bytes_received_ = 0;
};

}  // namespace capstan::client
