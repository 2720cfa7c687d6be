#pragma once

/// The ends of a TCP connection.

#include <sys/socket.h>

#include <string>

#include <capstan/runtime/status.h>

#include "base/http/fair_choice.h"
#include "base/io/unique_fd.h"

namespace capstan::http {

/// A listening socket that never blocks. Not with SO_REUSEPORT: two managers would share a port
/// unawares. Port 0: the system chooses. The error says why.
Result<io::UniqueFd> ListenOn(const std::string& host, int port);

/// The address without the port; of an IPv4 address in IPv6's clothes, the former.
std::string AddressOf(const sockaddr_storage& address);
int PortOf(const sockaddr_storage& address);
ClientOrigin OriginOf(const sockaddr_storage& address);

/// Of this end.
sockaddr_storage LocalAddress(int socket);

}  // namespace capstan::http
