#pragma once

#include <string>

namespace capstan::io {

/// Of this machine or pod; "localhost" when it has none.
std::string HostName();

}  // namespace capstan::io
