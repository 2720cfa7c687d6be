#pragma once

/// RequestReader: one HTTP/1.1 request out of the bytes that a client sends.
///
/// It is strict, as a proxy may stand before the listener and must not see other requests than the
/// listener does (RFC 9112): lines end with CRLF, headers are not folded, and a body has one
/// length.
///
/// Threads: one at a time.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/http/chunk_decoder.h"
#include "base/http/message_head.h"
#include "base/http/mux.h"

namespace capstan::http {

struct RequestLimits {
  size_t line = 8 << 10;   ///< of the first line; more is 414
  size_t head = 32 << 10;  ///< of all lines; more is 431
  size_t headers = 100;    ///< more is 431
  size_t body = 64 << 10;  ///< more is 413
  /// Whether a POST, PUT or PATCH that says nothing of a body is 411; else it has none.
  bool needs_length = true;
  /// Whether a target with a malformed escape is 400; else the handler reads `target`, and `path`
  /// and `query` are empty.
  bool decodes_target = true;
  /// Whether the handler answers what is refused: see ServerRequest::refusal.
  bool handler_refuses = false;
};

class RequestReader {
 public:
  enum class State { kMore, kComplete, kRefused };

  explicit RequestReader(const RequestLimits& limits);

  /// Takes from the front of `input` what belongs to the request, and leaves what follows it.
  State Feed(std::string& input);

  /// Whether anything of a request has come.
  bool HasBegun() const { return begun_; }
  /// Whether the client waits to be told that it may send the body. True once.
  bool TakeExpectation();
  /// When complete. Without what the listener knows of the client.
  ServerRequest TakeRequest() { return std::move(request_); }
  bool IsRefused() const { return part_ == Part::kRefused; }
  /// When refused: the answer, after which the connection is of no more use.
  ServerResponse TakeRefusal() { return std::move(refusal_); }
  bool KeepsAlive() const { return keeps_alive_; }
  bool IsHead() const { return is_head_; }
  /// Whether the client knows chunks.
  bool IsHttp11() const { return !is_http_1_0_; }

 private:
  enum class Part { kHead, kSized, kChunks, kDone, kRefused };

  void FeedHead(std::string_view& rest);
  void FeedSized(std::string_view& rest);
  void FeedChunks(std::string_view& rest);
  void Step(std::string_view& rest);

  void ParseHead(std::string_view head);
  /// These are false when the request is refused.
  bool ParseFirstLine(std::string_view line);
  bool ParseConnection();
  bool ParseFraming();
  bool ParseLength(const BodyLength& length);
  bool ParseExpectation();
  bool Refused(int status, std::string why);
  void Refuse(int status, std::string why);

  RequestLimits limits_;
  Part part_ = Part::kHead;
  bool begun_ = false;
  HeadScanner scanner_;
  uint64_t remaining_ = 0;  // of a body that is not chunked
  ChunkDecoder chunks_;
  bool is_http_1_0_ = false;
  bool keeps_alive_ = true;
  bool is_head_ = false;
  bool expects_continue_ = false;
  ServerRequest request_;
  ServerResponse refusal_;
};

}  // namespace capstan::http
