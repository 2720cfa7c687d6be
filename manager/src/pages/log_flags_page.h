#pragma once

/// PUT /debug/flags/v: changes the log verbosity while the process runs, as in Kubernetes
/// components.

#include "base/http/mux.h"

namespace capstan::manager {

/// The body is a number as for --v. Anything else returns 400.
void AddLogFlagsPage(http::Mux& mux);

}  // namespace capstan::manager
