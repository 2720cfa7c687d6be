#pragma once

#include <string>

namespace capstan::manager {

/// Of this machine or pod; "localhost" when it has none.
std::string HostName();

}  // namespace capstan::manager
