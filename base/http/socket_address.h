#pragma once

/// Listening sockets and the addresses of TCP connections.

#include <sys/socket.h>

#include <string>

#include <capstan/runtime/status.h>

#include "base/http/fair_choice.h"
#include "base/io/unique_fd.h"

namespace capstan::http {

/// Creates a non-blocking listening socket. SO_REUSEPORT is not set, since two managers could then
/// share a port unnoticed. With port 0 the system chooses a port. The error names the reason.
Result<io::UniqueFd> ListenOn(const std::string& host, int port);

/// The address without the port. An IPv4-mapped IPv6 address is returned as IPv4.
std::string AddressOf(const sockaddr_storage& address);
int PortOf(const sockaddr_storage& address);
ClientOrigin OriginOf(const sockaddr_storage& address);

/// The address of the local end.
sockaddr_storage LocalAddress(int socket);

}  // namespace capstan::http
