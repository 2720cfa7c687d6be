#pragma once

#include <capstan/client/client.h>

#include "e2e/api_server.h"

namespace capstan::bench {

/// A client of the server's administrator, without a rate limit. Throws std::runtime_error.
Client NewAdminClient(const e2e::ApiServer& server);

}  // namespace capstan::bench
