#include "client/http/http_transport_stream.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>

#include <cerrno>
#include <chrono>
#include <utility>

#include "client/http/failure.h"

namespace capstan::client {
namespace {

using Outcome = TlsSession::Outcome;

// A watch waits without a timeout. These options detect a lost peer within 45 s, as the pings of
// client-go do.
void SetOptions(int fd) {
  const auto set = [fd](int level, int option, int value) {
    setsockopt(fd, level, option, &value, sizeof(value));
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 30);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set(IPPROTO_TCP, TCP_KEEPCNT, 3);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, 45'000);
}

}  // namespace

Result<std::unique_ptr<Stream>> Stream::Connect(const sockaddr_storage& address, socklen_t length,
                                                const RequestScope& scope, MonotonicTime limit) {
  io::UniqueFd fd(socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return TransportError(ErrorText(errno));
  SetOptions(fd.get());
  const auto* const target = reinterpret_cast<const sockaddr*>(&address);
  if (connect(fd.get(), target, length) != 0) {
    if (errno != EINPROGRESS && errno != EINTR) return TransportError(ErrorText(errno));
    const Result<bool> connected = scope.Wait(fd.get(), POLLOUT, limit);
    if (!connected) return connected.status();
    if (!*connected) return TransportError("connection timed out");
    int error = 0;
    socklen_t size = sizeof(error);
    getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return TransportError(ErrorText(error));
  }
  return std::unique_ptr<Stream>(new Stream(std::move(fd)));
}

Stream::~Stream() {
  if (tls_ && !broken_) tls_->Close();
}

Status Stream::Broken(std::string reason) {
  broken_ = true;
  return TransportError(std::move(reason));
}

Result<bool> Stream::WaitFor(Outcome outcome, const RequestScope& scope,
                             std::optional<MonotonicTime> limit) const {
  return scope.Wait(socket_.get(), outcome == Outcome::kWantWrite ? POLLOUT : POLLIN, limit);
}

Status Stream::StartTls(std::shared_ptr<const TlsContext> context, const RequestScope& scope,
                        MonotonicTime limit) {
  context_ = context;
  tls_.emplace(std::move(context), socket_.get());
  while (true) {
    const Outcome outcome = tls_->Handshake();
    if (outcome == Outcome::kDone) return Status::Ok();
    if (outcome == Outcome::kFailed) return Broken(tls_->error());
    if (outcome == Outcome::kEnd) return Broken("connection closed by the server");
    const Result<bool> ready = WaitFor(outcome, scope, limit);
    if (!ready) {
      broken_ = true;
      return ready.status();
    }
    if (!*ready) return Broken("TLS handshake timed out");
  }
}

Result<size_t> Stream::Read(char* buffer, size_t size, const RequestScope& scope) {
  // Waits first: an attempt to read would nearly always come too early.
  Outcome outcome = tls_ && tls_->HasPending() ? Outcome::kDone : Outcome::kWantRead;
  while (true) {
    if (outcome != Outcome::kDone) {
      if (const Result<bool> ready = WaitFor(outcome, scope); !ready) return ready.status();
    } else if (Status status = scope.Check(); !status.ok()) {
      // Pending data must not keep the read going after the scope has ended.
      return status;
    }
    outcome = Outcome::kWantRead;
    if (tls_) {
      size_t count = 0;
      outcome = tls_->Read(buffer, size, count);
      if (outcome == Outcome::kDone) return count;
      if (outcome == Outcome::kEnd) return size_t{0};
      if (outcome == Outcome::kFailed) return Broken(tls_->error());
    } else {
      const ssize_t count = recv(socket_.get(), buffer, size, 0);
      if (count >= 0) return static_cast<size_t>(count);
      if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
        return Broken(ErrorText(errno));
      }
    }
  }
}

Status Stream::Write(std::string_view data, const RequestScope& scope, size_t& accepted) {
  while (!data.empty()) {
    Outcome outcome = Outcome::kWantWrite;
    size_t count = 0;
    if (tls_) {
      outcome = tls_->Write(data.data(), data.size(), count);
      if (outcome == Outcome::kEnd) return Broken("connection closed by the server");
      if (outcome == Outcome::kFailed) return Broken(tls_->error());
    } else {
      const ssize_t sent = send(socket_.get(), data.data(), data.size(), MSG_NOSIGNAL);
      if (sent >= 0) {
        outcome = Outcome::kDone;
        count = static_cast<size_t>(sent);
      } else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
        return Broken(ErrorText(errno));
      }
    }
    if (outcome == Outcome::kDone) {
      accepted += count;
      data.remove_prefix(count);
      continue;
    }
    // A partly sent record counts as accepted: its bytes may be read once the rest follows.
    if (const Result<bool> ready = WaitFor(outcome, scope); !ready) {
      broken_ = true;
      return ready.status();
    }
  }
  return Status::Ok();
}

bool Stream::IsIdle() const {
  if (broken_ || (tls_ && tls_->HasPending())) return false;
  pollfd socket{socket_.get(), POLLIN, 0};
  return poll(&socket, 1, 0) == 0;
}

}  // namespace capstan::client
