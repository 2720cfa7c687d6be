#pragma once

#include <string>

#include <capstan/client/rest_config.h>

namespace capstan::client {

/// InClusterConfig with the service account in another folder, for tests.
Result<RestConfig> InClusterConfigFrom(const std::string& folder);

}  // namespace capstan::client
