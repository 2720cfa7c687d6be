#pragma once

/// /flagz: the flags in effect, for people, as Kubernetes components serve it.
/// https://kubernetes.io/docs/reference/instrumentation/zpages/

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/http/mux.h"

namespace capstan::manager {

using FlagList = std::vector<std::pair<std::string, std::string>>;

/// What may be shown of a flag's value: "CENSORED" for one that is a password, token, secret or key
/// by its name, and a URL without its user and password.
std::string ShownFlagValue(const std::string& name, const std::string& value);

/// `flags` gives names without dashes and values, in any order. Threads: called from any thread.
void AddFlagzPage(http::Mux& mux, std::string component, std::function<FlagList()> flags);

}  // namespace capstan::manager
