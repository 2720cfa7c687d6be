#pragma once

/// How a response looks on the wire.

#include <string>

#include "base/http/mux.h"

namespace capstan::http {

/// All before the body, the empty line too. A header that cannot be sent as it is, since it holds
/// a line break or has no name, is left out.
std::string ResponseHead(const ServerResponse& response, bool keeps_alive);

}  // namespace capstan::http
