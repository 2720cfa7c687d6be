#pragma once

/// PUT /debug/flags/v: changes how much is logged while the process runs, as in Kubernetes
/// components.

#include "base/http/mux.h"

namespace capstan::manager {

/// The body is a number, as of the flag --v: 400 for anything else.
void AddLogFlagsPage(http::Mux& mux);

}  // namespace capstan::manager
