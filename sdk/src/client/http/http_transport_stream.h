#pragma once

// A connected byte stream: TCP, or TLS over it. All waiting is in a RequestScope.

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
  // Errors are Transport, or what ended the scope; they do not name the peer.
  static Result<std::unique_ptr<Stream>> Connect(const sockaddr_storage& address, socklen_t length,
                                                 const RequestScope& scope, MonotonicTime limit);
  ~Stream();

  Status StartTls(std::shared_ptr<const TlsContext> context, const RequestScope& scope,
                  MonotonicTime limit);
  // At least one byte; 0 = the peer's end.
  Result<size_t> Read(char* buffer, size_t size, const RequestScope& scope);
  // All of `data`. `accepted` counts the bytes that may have reached the peer.
  Status Write(std::string_view data, const RequestScope& scope, size_t& accepted);

  // Whether an idle stream is still good: open, and nothing has come that nobody asked for.
  bool IsQuiet() const;
  // The context that TLS was started with, or null.
  const TlsContext* tls_context() const { return context_.get(); }

 private:
  explicit Stream(io::UniqueFd socket) : socket_(std::move(socket)) {}
  // Waits for what the outcome asks for; false: the limit passed.
  Result<bool> WaitFor(TlsSession::Outcome outcome, const RequestScope& scope,
                       std::optional<MonotonicTime> limit = std::nullopt) const;
  Status Broken(std::string reason);

  io::UniqueFd socket_;
  std::shared_ptr<const TlsContext> context_;
  std::optional<TlsSession> tls_;
  bool broken_ = false;
};

}  // namespace capstan::client
