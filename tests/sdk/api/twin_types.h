#pragma once

// Two structs with the same name for one resource, each described in its own file, as in two
// plugins. descriptor_test.cpp compares them.

#include <string>

#include <capstan/api/descriptor.h>

namespace capstan::testing {

struct Twin {
  const TypeDescriptor* type;
  std::string (*encode_sample)();
};

Twin FirstTwin();
Twin SecondTwin();

}  // namespace capstan::testing
