#include "base/http/server_connection.h"

#include <sys/socket.h>

#include <cerrno>
#include <utility>

namespace capstan::http {
namespace {

constexpr size_t kSlice = 16 << 10;
/// How many slices of discarded input are read before other connections are served.
constexpr int kDrainSlices = 4;

}  // namespace

ServerConnection::ServerConnection(io::UniqueFd socket, std::unique_ptr<ServerStream> stream,
                                   Client client, const ServingLimits& limits, MonotonicTime now)
    : socket_(std::move(socket)),
      stream_(std::move(stream)),
      client_(std::move(client)),
      limits_(limits),
      since_(now),
      deadline_(now + limits.io_timeout),
      reader_(limits.request) {}

ServerConnection::~ServerConnection() {
  if (phase_ == Phase::kIdle) stream_->Finish();
  // Unsent response data would stay in the kernel's send buffer. A reset discards it.
  if (phase_ == Phase::kWriting || (phase_ == Phase::kStreaming && !output_[0].empty())) {
    const linger reset{.l_onoff = 1, .l_linger = 0};
    setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
  }
}

void ServerConnection::Enter(Phase phase, MonotonicTime now, MonotonicTime deadline) {
  if (phase_ != phase) since_ = now;
  phase_ = phase;
  deadline_ = deadline;
}

void ServerConnection::Advance(MonotonicTime now) {
  while (Step(now)) {
  }
}

bool ServerConnection::Step(MonotonicTime now) {
  switch (phase_) {
    case Phase::kHandshake:
      return Handshake(now);
    case Phase::kIdle:
    case Phase::kReading:
      return ReadRequest(now);
    case Phase::kWriting:
      return WriteResponse(now);
    case Phase::kStreaming:
      return WriteStream(now);
    case Phase::kDraining:
      return Drain();
    case Phase::kReady:
    case Phase::kServing:
    case Phase::kClosed:
      break;
  }
  return false;
}

bool ServerConnection::HandleOutcome(ServerStream::Outcome outcome) {
  if (outcome == ServerStream::Outcome::kDone) return true;
  if (outcome == ServerStream::Outcome::kEnd) phase_ = Phase::kClosed;
  wants_ = outcome;
  return false;
}

bool ServerConnection::Handshake(MonotonicTime now) {
  if (!HandleOutcome(stream_->Handshake())) return false;
  certificates_ = stream_->PeerCertificates();
  Enter(Phase::kReading, now, deadline_);  // one deadline for handshake and request
  return true;
}

bool ServerConnection::ReadRequest(MonotonicTime now) {
  if (!Flush()) return false;
  const RequestReader::State state = reader_.Feed(input_);
  if (phase_ == Phase::kIdle && reader_.HasBegun()) {
    Enter(Phase::kReading, now, now + limits_.io_timeout);
  }
  if (state == RequestReader::State::kRefused && !limits_.request.handler_refuses) {
    keeps_alive_ = false;
    is_head_ = reader_.IsHead();
    Respond(reader_.TakeRefusal(), now);
    return true;
  }
  if (state != RequestReader::State::kMore) {
    Enter(Phase::kReady, now, MonotonicTime::max());
    return false;
  }
  if (reader_.TakeExpectation()) {
    output_[0] = "HTTP/1.1 100 Continue\r\n\r\n";
    return true;
  }
  return ReadMore();
}

bool ServerConnection::ReadMore() {
  const size_t size = input_.size();
  size_t count = 0;
  input_.resize(size + kSlice);
  const bool more = HandleOutcome(stream_->Read(input_.data() + size, kSlice, count));
  input_.resize(size + count);
  // An idle connection keeps no input buffer.
  if (input_.empty()) input_.shrink_to_fit();
  return more;
}

ServerRequest ServerConnection::TakeRequest(MonotonicTime now) {
  keeps_alive_ = reader_.KeepsAlive();
  is_head_ = reader_.IsHead();
  ServerRequest request = reader_.TakeRequest();
  if (reader_.IsRefused()) request.refusal = reader_.TakeRefusal();
  request.client_certificates = certificates_;
  request.remote_address = client_.address;
  Enter(Phase::kServing, now, MonotonicTime::max());
  wants_ = ServerStream::Outcome::kDone;
  return request;
}

void ServerConnection::Answer(ServerResponse response, MonotonicTime now) {
  Respond(std::move(response), now);
  Advance(now);
}

void ServerConnection::Respond(ServerResponse response, MonotonicTime now) {
  written_ = 0;
  if (response.stream) return RespondWithStream(std::move(response), now);
  output_[0] = ResponseHead(response, keeps_alive_, BodyFraming::kLength);
  if (!is_head_) output_[1] = std::move(response.body);
  if (output_[1].size() < kSlice) {  // sent in one packet
    output_[0] += output_[1];
    output_[1].clear();
  }
  const auto seconds = std::chrono::seconds(output_[1].size() / limits_.bytes_a_second);
  Enter(Phase::kWriting, now, now + limits_.io_timeout + seconds);
}

void ServerConnection::RespondWithStream(ServerResponse response, MonotonicTime now) {
  framing_ = reader_.IsHttp11() ? BodyFraming::kChunked : BodyFraming::kClose;
  keeps_alive_ = keeps_alive_ && framing_ == BodyFraming::kChunked;
  output_[0] = ResponseHead(response, keeps_alive_, framing_);
  if (!is_head_) body_ = std::move(response.stream);
  Enter(is_head_ ? Phase::kWriting : Phase::kStreaming, now, now + limits_.io_timeout);
}

bool ServerConnection::Flush() {
  for (std::string& part : output_) {
    while (!part.empty()) {
      size_t count = 0;
      if (!HandleOutcome(stream_->Write(part.data() + written_, part.size() - written_, count))) {
        return false;
      }
      written_ += count;
      progressed_ = true;
      if (written_ < part.size()) continue;
      written_ = 0;
      part = {};
    }
  }
  return true;
}

bool ServerConnection::WriteResponse(MonotonicTime now) {
  if (!Flush()) return false;
  if (keeps_alive_) {
    BeginNext(now);
  } else {
    stream_->Finish();
    Enter(Phase::kDraining, now, now + limits_.io_timeout);
  }
  return true;
}

// The client has `io_timeout` to receive each part. A stream may be silent for any time.
bool ServerConnection::WriteStream(MonotonicTime now) {
  progressed_ = false;
  const bool flushed = Flush();
  if (progressed_) deadline_ = now + limits_.io_timeout;
  if (!flushed) return false;
  const BodyReader::State state = body_->Take(output_[0]);
  if (!output_[0].empty()) {
    if (framing_ == BodyFraming::kChunked) FrameChunk(output_[0]);
    deadline_ = now + limits_.io_timeout;
    if (state == BodyReader::State::kOpen) return true;
  }
  if (state == BodyReader::State::kOpen) {
    deadline_ = MonotonicTime::max();
    wants_ = ServerStream::Outcome::kDone;
    return false;
  }
  body_.reset();
  if (state == BodyReader::State::kBroken) {
    phase_ = Phase::kClosed;
    return false;
  }
  if (framing_ == BodyFraming::kChunked) output_[0] += kLastChunk;
  Enter(Phase::kWriting, now, now + limits_.io_timeout);
  return true;
}

void ServerConnection::BeginNext(MonotonicTime now) {
  reader_ = RequestReader(limits_.request);
  Enter(Phase::kIdle, now, now + limits_.idle);
}

bool ServerConnection::Drain() {
  std::array<char, kSlice> dropped;
  wants_ = ServerStream::Outcome::kWantRead;
  for (int i = 0; i < kDrainSlices; ++i) {
    const ssize_t count = recv(socket_.get(), dropped.data(), dropped.size(), 0);
    if (count > 0) continue;
    const bool waits = count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
    if (!waits) phase_ = Phase::kClosed;
    break;
  }
  return false;
}

}  // namespace capstan::http
