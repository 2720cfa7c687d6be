#pragma once

/// Access to the leading manager through the API server.

#include <optional>
#include <string>
#include <string_view>

#include <capstan/client/client.h>

namespace capstan::tool {

/// Sends a GET of `path` to the holder of the Lease kube-system/capstan-controller-manager, through
/// the API server's pod proxy, and returns the response body. Returns nullopt if the Lease does not
/// exist, its holder is not a pod of that namespace, or the user lacks permission (`get` on leases
/// and pods/proxy).
std::optional<std::string> AskLeadingManager(const Client& client, std::string_view path);

}  // namespace capstan::tool
