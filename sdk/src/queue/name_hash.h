#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include <capstan/api/meta_v1.h>

namespace capstan {

struct NameHash {
  size_t operator()(const NamespacedName& name) const {
    const size_t seed = std::hash<std::string>{}(name.namespace_);
    return std::hash<std::string>{}(name.name) ^ (seed * 0x9e3779b97f4a7c15ULL + (seed >> 7));
  }
};

}  // namespace capstan
