#pragma once

#include <string>
#include <vector>

namespace capstan::manager {

// A flag of another program and its default as shown by --help, or "" when none is shown.
struct ReferenceFlag {
  std::string name;
  std::string default_text;
};

std::vector<ReferenceFlag> KcmFlags();
std::vector<ReferenceFlag> ArgoFlags();

}  // namespace capstan::manager
