#pragma once

/// RequestReader: parses one HTTP/1.1 request from received bytes.
///
/// Parsing is strict (RFC 9112): lines end with CRLF, headers are not folded, and a body has one
/// length. Otherwise a proxy in front of the listener could see different requests than the
/// listener does.
///
/// Threads: used by one thread at a time.

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
  size_t line = 8 << 10;   ///< bytes of the first line; 414 above
  size_t head = 32 << 10;  ///< bytes of all lines; 431 above
  size_t headers = 100;    ///< 431 above
  size_t body = 64 << 10;  ///< bytes; 413 above
  /// Whether a POST, PUT or PATCH without a declared body length is refused with 411. Otherwise it
  /// has no body.
  bool needs_length = true;
  /// Whether a target with a malformed percent-encoding is refused with 400. Otherwise the handler
  /// parses `target` itself, and `path` and `query` are empty.
  bool decodes_target = true;
  /// Whether the handler answers refused requests: see ServerRequest::refusal.
  bool handler_refuses = false;
};

class RequestReader {
 public:
  enum class State { kMore, kComplete, kRefused };

  explicit RequestReader(const RequestLimits& limits);

  /// Consumes the bytes of the request from the front of `input`. Bytes after the request stay.
  State Feed(std::string& input);

  /// Whether any byte of a request has been received.
  bool HasBegun() const { return begun_; }
  /// Whether the client waits for "100 Continue". Returns true once.
  bool TakeExpectation();
  /// To be called when complete. The fields that the listener sets are empty.
  ServerRequest TakeRequest() { return std::move(request_); }
  bool IsRefused() const { return part_ == Part::kRefused; }
  /// To be called when refused. The connection must be closed after this response.
  ServerResponse TakeRefusal() { return std::move(refusal_); }
  bool KeepsAlive() const { return keeps_alive_; }
  bool IsHead() const { return is_head_; }
  /// Whether the client supports chunked encoding.
  bool IsHttp11() const { return !is_http_1_0_; }

 private:
  enum class Part { kHead, kSized, kChunks, kDone, kRefused };

  void FeedHead(std::string_view& rest);
  void FeedSized(std::string_view& rest);
  void FeedChunks(std::string_view& rest);
  void Step(std::string_view& rest);

  void ParseHead(std::string_view head);
  /// Return false if the request is refused.
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
  uint64_t remaining_ = 0;  // bytes left of a body that is not chunked
  ChunkDecoder chunks_;
  bool is_http_1_0_ = false;
  bool keeps_alive_ = true;
  bool is_head_ = false;
  bool expects_continue_ = false;
  ServerRequest request_;
  ServerResponse refusal_;
};

}  // namespace capstan::http
