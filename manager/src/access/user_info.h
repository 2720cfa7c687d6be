#pragma once

/// UserInfo: the authenticated user of a request (user.Info of k8s.io/apiserver).

#include <string>
#include <vector>

#include <capstan/api/raw_json.h>

namespace capstan::manager {

struct UserInfo {
  std::string name;
  std::string uid;
  std::vector<std::string> groups;
  RawJson extra;  ///< an object whose values are lists of strings; absent if there are none
};

}  // namespace capstan::manager
