#pragma once

/// ServerConnection: one client's connection, from its handshake to its end. It never blocks: it
/// goes as far as the socket lets it, and says what it waits for and until when.
///
/// Threads: one at a time.

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
    kIdle,       ///< nothing of a next request has come
    kReading,    ///< a request
    kReady,      ///< a request is there to be taken
    kServing,    ///< it was taken, and Answer is waited for
    kWriting,    ///< the response
    kStreaming,  ///< a response whose body is still being written
    kDraining,  ///< all is said; what the client still sends is dropped, so that it sees the answer
    kClosed,
  };
  struct Client {
    std::string address;  ///< "10.0.0.1:51234"
    ClientOrigin origin;
  };

  ServerConnection(io::UniqueFd socket, std::unique_ptr<ServerStream> stream, Client client,
                   const ServingLimits& limits, MonotonicTime now);
  /// A client that is idle is told; what one does not read is not kept for it.
  ~ServerConnection();

  /// Goes on after the socket became ready, or when its stream has more.
  void Advance(MonotonicTime now);
  /// When ready.
  ServerRequest TakeRequest(MonotonicTime now);
  void Answer(ServerResponse response, MonotonicTime now);

  int socket() const { return socket_.get(); }
  const Client& client() const { return client_; }
  Phase phase() const { return phase_; }
  MonotonicTime since() const { return since_; }  ///< it is in this phase
  MonotonicTime deadline() const { return deadline_; }
  bool WantsRead() const { return wants_ == ServerStream::Outcome::kWantRead; }
  bool WantsWrite() const { return wants_ == ServerStream::Outcome::kWantWrite; }

 private:
  void Enter(Phase phase, MonotonicTime now, MonotonicTime deadline);
  /// Each goes one step; false when it has to wait, or the connection is at its end.
  bool Step(MonotonicTime now);
  bool Handshake(MonotonicTime now);
  bool ReadRequest(MonotonicTime now);
  bool ReadMore();
  bool WriteResponse(MonotonicTime now);
  bool WriteStream(MonotonicTime now);
  bool Flush();
  bool Drain();
  bool Judge(ServerStream::Outcome outcome);
  void Say(ServerResponse response, MonotonicTime now);
  void SayStream(ServerResponse response, MonotonicTime now);
  void BeginNext(MonotonicTime now);

  const io::UniqueFd socket_;
  const std::unique_ptr<ServerStream> stream_;  // goes before the socket
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
  size_t written_ = 0;                 // of the first that is not empty
  bool progressed_ = false;            // since it was last set to false
  std::shared_ptr<BodyReader> body_;   // while it streams
  BodyFraming framing_ = BodyFraming::kLength;
  bool keeps_alive_ = false;
  bool is_head_ = false;
};

}  // namespace capstan::http
