#pragma once

/// Common parts of the human-readable pages /flagz and /statusz.

#include <string>
#include <string_view>

namespace capstan::manager {

/// The page header: its title, and a warning that programs must not parse it.
inline std::string ZPageHeader(std::string_view component, std::string_view title) {
  return "\n" + std::string(component) + " " + std::string(title) +
         "\nWarning: this page is for debugging. Its format may change at any time; programs must "
         "not parse it.\n\n";
}

}  // namespace capstan::manager
