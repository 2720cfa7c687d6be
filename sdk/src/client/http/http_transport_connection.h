#pragma once

// HTTP/1.1 over one Stream: one exchange after the other.

#include <Poco/Net/HTTPResponse.h>
#include <Poco/Net/HTTPSession.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <capstan/runtime/status.h>

#include "client/http/http_transport_stream.h"

namespace capstan::client {

// POCO parses heads and buffers the stream. Bodies are framed here, since POCO's streams take a
// torn or malformed chunked body for a whole one, and its client session reconnects where it must
// not.
class Connection : private Poco::Net::HTTPSession {
 public:
  static constexpr size_t kMaxHeadBytes = size_t{64} * 1024;

  explicit Connection(std::unique_ptr<Stream> stream);
  ~Connection() override;

  // Sends a whole request (head and body). Starts an exchange, which lives in `scope` until its
  // body has been read.
  Status Send(std::string_view message, const RequestScope& scope);
  // Reads the head. `head` says whether a body follows at all (not after HEAD and CONNECT).
  Status ReceiveHead(Poco::Net::HTTPResponse& head, bool expect_body);
  // 0 = the end of the body.
  Result<size_t> ReadBody(char* buffer, size_t size);

  // Whether the body has been read to its end.
  bool body_done() const { return body_ == Body::kDone; }
  // Whether another exchange may follow.
  bool Reusable() const;
  // What the exchange has moved so far; tells whether it may be repeated on another connection.
  size_t bytes_sent() const { return bytes_sent_; }
  size_t bytes_received() const { return bytes_received_; }

  bool IsQuiet() const { return stream_->IsQuiet(); }
  const TlsContext* tls_context() const { return stream_->tls_context(); }
  // Takes the stream out, after CONNECT. Bytes that came too early make it an error.
  Result<std::unique_ptr<Stream>> TakeStream();

 private:
  class Socket;
  enum class Body : uint8_t { kNone, kLength, kChunked, kUntilClose, kDone };

  static Poco::Net::StreamSocket MakeSocket(Connection& connection);
  // What POCO calls for more bytes; throws when there are none.
  int Receive(char* buffer, int size);
  Status Fail(Status status);
  Status ParseHead(Poco::Net::HTTPResponse& head);
  Status SetBody(const Poco::Net::HTTPResponse& head, bool expect_body);
  size_t ReadFramed(char* buffer, size_t size);
  void StartChunk();
  std::string ReadLine();

  std::unique_ptr<Stream> stream_;
  const RequestScope* scope_ = nullptr;
  Status failure_;
  Body body_ = Body::kDone;
  bool in_head_ = false;
  bool keep_alive_ = true;
  bool first_chunk_ = true;
  uint64_t left_ = 0;  // of the body, or of the chunk
  size_t bytes_sent_ = 0;
  size_t bytes_received_ = 0;
};

}  // namespace capstan::client
