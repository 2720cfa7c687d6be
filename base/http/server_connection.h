#pragma once

/// ServerConnection: one client connection, from its handshake to its end. It never blocks: it
/// advances as far as the socket allows, then reports which socket event it needs and its deadline.
///
/// Threads: used by one thread at a time.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <capstan/runtime/clock.h>

#include "base/http/fair_choice.h"
#include "base/http/mux.h"
#include "base/http/request_reader.h"
#include "base/http/response_text.h"
#include "base/http/server_stream.h"
#include "base/http/serving_limits.h"
#include "base/io/unique_fd.h"

namespace capstan::http {

class ServerConnection {
 public:
  enum class Phase : uint8_t {
    kHandshake,
    kIdle,       ///< no byte of the next request has been received
    kReading,    ///< receiving a request
    kReady,      ///< a request can be taken
    kServing,    ///< the request was taken; waits for Answer
    kWriting,    ///< sending the response
    kStreaming,  ///< sending a response whose body is still being written
    kDraining,   ///< the response is sent; input is discarded so that the client receives it
    kClosed,
  };
  struct Client {
    std::string address;  ///< "10.0.0.1:51234"
    ClientOrigin origin;
  };

  ServerConnection(io::UniqueFd socket, std::unique_ptr<ServerStream> stream, Client client,
                   const ServingLimits& limits, MonotonicTime now);
  /// Sends a close notification if the connection is idle. Resets the connection if response data
  /// is unsent.
  ~ServerConnection();

  /// Continues after the socket became ready or the response stream has more data.
  void Advance(MonotonicTime now);
  /// To be called in phase kReady.
  ServerRequest TakeRequest(MonotonicTime now);
  void Answer(ServerResponse response, MonotonicTime now);

  int socket() const { return socket_.get(); }
  const Client& client() const { return client_; }
  Phase phase() const { return phase_; }
  MonotonicTime since() const { return since_; }  ///< when it entered this phase
  MonotonicTime deadline() const { return deadline_; }
  bool WantsRead() const { return wants_ == ServerStream::Outcome::kWantRead; }
  bool WantsWrite() const { return wants_ == ServerStream::Outcome::kWantWrite; }

 private:
  void Enter(Phase phase, MonotonicTime now, MonotonicTime deadline);
  /// Each performs one step. They return false if the connection must wait or is closed.
  bool Step(MonotonicTime now);
  bool Handshake(MonotonicTime now);
  bool ReadRequest(MonotonicTime now);
  bool ReadMore();
  bool WriteResponse(MonotonicTime now);
  bool WriteStream(MonotonicTime now);
  bool Flush();
  bool Drain();
  bool HandleOutcome(ServerStream::Outcome outcome);
  void Respond(ServerResponse response, MonotonicTime now);
  void RespondWithStream(ServerResponse response, MonotonicTime now);
  void BeginNext(MonotonicTime now);

  const io::UniqueFd socket_;
  const std::unique_ptr<ServerStream> stream_;  // destroyed before the socket
  const Client client_;
  const ServingLimits& limits_;
  Phase phase_ = Phase::kHandshake;
  MonotonicTime since_;
  MonotonicTime deadline_;
  ServerStream::Outcome wants_ = ServerStream::Outcome::kWantRead;
  std::vector<std::string> certificates_;
  RequestReader reader_;
  std::string input_;
  std::array<std::string, 2> output_;  // head and body
  size_t written_ = 0;                 // bytes written of the first non-empty element of output_
  bool progressed_ = false;            // whether data was written since it was last reset
  std::shared_ptr<BodyReader> body_;   // set while a stream is being sent
  BodyFraming framing_ = BodyFraming::kLength;
  bool keeps_alive_ = false;
  bool is_head_ = false;
};

}  // namespace capstan::http
