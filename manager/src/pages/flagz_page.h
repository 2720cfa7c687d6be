#pragma once

/// /flagz: the effective flags in human-readable form, as in Kubernetes components.
/// https://kubernetes.io/docs/reference/instrumentation/zpages/

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/http/mux.h"

namespace capstan::manager {

using FlagList = std::vector<std::pair<std::string, std::string>>;

/// Returns the value as the page may show it: "CENSORED" if the flag's name indicates a password,
/// token, secret or key. User and password are removed from a URL.
std::string ShownFlagValue(const std::string& name, const std::string& value);

/// `flags` returns flag names without dashes and their values, in any order. Threads: it is called
/// from any thread.
void AddFlagzPage(http::Mux& mux, std::string component, std::function<FlagList()> flags);

}  // namespace capstan::manager
