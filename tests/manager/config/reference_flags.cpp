#include "reference_flags.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/paths.h"

namespace capstan::manager {
namespace {

std::vector<ReferenceFlag> FlagsIn(const std::string& name) {
  std::ifstream in(tests::TestFolder().string() + "/manager/config/" + name);
  std::vector<ReferenceFlag> flags;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const size_t space = line.find(' ');
    flags.push_back(
        {line.substr(0, space), space == std::string::npos ? "" : line.substr(space + 1)});
  }
  EXPECT_GT(flags.size(), 10U) << name;
  return flags;
}

}  // namespace

std::vector<ReferenceFlag> KcmFlags() { return FlagsIn("kcm_flags.txt"); }
std::vector<ReferenceFlag> ArgoFlags() { return FlagsIn("argo_flags.txt"); }

}  // namespace capstan::manager
