#pragma once

/// What the pages for people, /flagz and /statusz, have in common.

#include <string>
#include <string_view>

namespace capstan::manager {

/// The beginning of a page: what it is, and that no program should rely on it.
inline std::string ZPageHeader(std::string_view component, std::string_view title) {
  return "\n" + std::string(component) + " " + std::string(title) +
         "\nWarning: this page is for people who look for a fault. Its format may change at any "
         "time; programs must not read it.\n\n";
}

}  // namespace capstan::manager
