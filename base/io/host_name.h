#pragma once

#include <string>

namespace capstan::io {

/// The host name of this machine or pod, or "localhost" if it has none.
std::string HostName();

}  // namespace capstan::io
