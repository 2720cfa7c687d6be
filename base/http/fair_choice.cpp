#include "base/http/fair_choice.h"

#include <tuple>

namespace capstan::http {

std::optional<uint64_t> ConnectionToClose(const std::vector<OpenConnection>& connections,
                                          const ClientOrigin& newcomer) {
  std::map<std::string, size_t> counts;
  for (const OpenConnection& connection : connections) ++counts[connection.origin.network];
  const auto worth = [&](const OpenConnection& connection) {
    const size_t share = connections.size() - counts[connection.origin.network];
    return std::tuple(connection.origin.is_local, share, !connection.is_idle, connection.since);
  };
  const OpenConnection* least = nullptr;
  for (const OpenConnection& connection : connections) {
    if (connection.is_busy || (connection.origin.is_local && !newcomer.is_local)) continue;
    if (!least || worth(connection) < worth(*least)) least = &connection;
  }
  return least ? std::optional(least->id) : std::nullopt;
}

std::optional<size_t> RequestToAnswer(const std::vector<const ClientOrigin*>& waiting,
                                      const std::map<std::string, size_t>& answered,
                                      bool only_local) {
  const auto load = [&](size_t i) {
    const auto found = answered.find(waiting[i]->network);
    return found == answered.end() ? 0 : found->second;
  };
  std::optional<size_t> best;
  for (size_t i = 0; i < waiting.size(); ++i) {
    if (only_local && !waiting[i]->is_local) continue;
    if (!best || load(i) < load(*best)) best = i;
  }
  return best;
}

}  // namespace capstan::http
