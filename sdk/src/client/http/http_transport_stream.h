#pragma once

/// A connected byte stream: TCP, or TLS over it. All waits use a RequestScope.

#include <sys/socket.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <capstan/runtime/status.h>

#include "base/io/unique_fd.h"
#include "client/http/http_transport_scope.h"
#include "client/http/tls_session.h"

namespace capstan::client {

class Stream {
 public:
  /// Errors are Transport, or the reason that ended the scope. They do not name the peer.
  static Result<std::unique_ptr<Stream>> Connect(const sockaddr_storage& address, socklen_t length,
                                                 const RequestScope& scope, MonotonicTime limit);
  ~Stream();

  Status StartTls(std::shared_ptr<const TlsContext> context, const RequestScope& scope,
                  MonotonicTime limit);
  /// Reads at least one byte. Returns 0 if the peer closed the stream.
  Result<size_t> Read(char* buffer, size_t size, const RequestScope& scope);
  /// Writes all of `data`. `accepted` counts the bytes that may have reached the peer.
  Status Write(std::string_view data, const RequestScope& scope, size_t& accepted);

  /// Whether an idle stream is usable: it is open and has no unexpected data.
  bool IsIdle() const;
  /// The context that TLS was started with, or null.
  const TlsContext* tls_context() const { return context_.get(); }

 private:
  explicit Stream(io::UniqueFd socket) : socket_(std::move(socket)) {}
  // Waits for the socket event that `outcome` requires. Returns false if the limit passes first.
  Result<bool> WaitFor(TlsSession::Outcome outcome, const RequestScope& scope,
                       std::optional<MonotonicTime> limit = std::nullopt) const;
  Status Broken(std::string reason);

  io::UniqueFd socket_;
  std::shared_ptr<const TlsContext> context_;
  std::optional<TlsSession> tls_;
  bool broken_ = false;
};

}  // namespace capstan::client
