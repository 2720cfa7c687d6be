#pragma once

#include <string>
#include <vector>

namespace capstan::manager {

// A flag of another program, and its default as its --help shows it; "" when it shows none.
struct ReferenceFlag {
  std::string name;
  std::string default_text;
};

std::vector<ReferenceFlag> KcmFlags();
std::vector<ReferenceFlag> ArgoFlags();

}  // namespace capstan::manager
