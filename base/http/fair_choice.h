#pragma once

/// Whom a listener serves when it cannot serve all: pure functions.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <capstan/runtime/clock.h>

namespace capstan::http {

/// Where a client comes from.
struct ClientOrigin {
  /// Its address; of an IPv6 address the network, as one client may have all addresses of it.
  std::string network;
  bool is_local = false;  ///< on this machine
};

struct OpenConnection {
  uint64_t id = 0;
  ClientOrigin origin;
  bool is_idle = false;   ///< between two requests
  bool is_busy = false;   ///< its request is being answered
  MonotonicTime since{};  ///< in this state
};

/// Which connection makes room for a new one from `newcomer`. Not one whose request is being
/// answered, and not one from this machine unless the new one is too. Of the others: one of the
/// network that has most, an idle one before others, then the one that has waited longest. None:
/// the new one has to go.
std::optional<uint64_t> ConnectionToClose(const std::vector<OpenConnection>& connections,
                                          const ClientOrigin& newcomer);

/// Which of the waiting requests is answered next: the first of the network with the fewest that
/// are being answered. With `only_local`, of this machine.
std::optional<size_t> RequestToAnswer(const std::vector<const ClientOrigin*>& waiting,
                                      const std::map<std::string, size_t>& answered,
                                      bool only_local);

}  // namespace capstan::http
