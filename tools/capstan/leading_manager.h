#pragma once

/// The way to the manager that leads, through the API server.

#include <optional>
#include <string>
#include <string_view>

#include <capstan/client/client.h>

namespace capstan::tool {

/// What the manager that holds the Lease kube-system/capstan-controller-manager answers to a GET of
/// `path`, by the API server's proxy to its pod. nullopt when there is no such Lease, its holder is
/// no pod of that namespace, or this user may not do that (`get` on leases and pods/proxy).
std::optional<std::string> AskLeadingManager(const Client& client, std::string_view path);

}  // namespace capstan::tool
