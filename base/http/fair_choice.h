#pragma once

/// Fair selection: which connections a full listener keeps and which request is answered next. All
/// functions are pure.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <capstan/runtime/clock.h>

namespace capstan::http {

/// The origin of a client.
struct ClientOrigin {
  /// The client's IPv4 address, or the network of its IPv6 address, since one client may own all
  /// addresses of that network.
  std::string network;
  bool is_local = false;  ///< the client is on this machine
};

struct OpenConnection {
  uint64_t id = 0;
  ClientOrigin origin;
  bool is_idle = false;   ///< between two requests
  bool is_busy = false;   ///< its request is being answered
  MonotonicTime since{};  ///< when it entered this state
};

/// Returns the connection to close so that a new one from `newcomer` can be accepted. A connection
/// whose request is being answered is never chosen. A local connection is chosen only if the new
/// one is local too. Among the others, remote connections are preferred, then those of the network
/// with the most connections, then idle ones, then the one that has been in its state longest.
/// Returns nullopt if the new connection must be closed instead.
std::optional<uint64_t> ConnectionToClose(const std::vector<OpenConnection>& connections,
                                          const ClientOrigin& newcomer);

/// Returns the index of the waiting request to answer next: the first request of the network with
/// the fewest requests being answered. With `only_local`, only requests from this machine are
/// considered.
std::optional<size_t> RequestToAnswer(const std::vector<const ClientOrigin*>& waiting,
                                      const std::map<std::string, size_t>& answered,
                                      bool only_local);

}  // namespace capstan::http
