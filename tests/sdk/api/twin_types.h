#pragma once

// Two structs of one name for one resource, each described in a file of its own, as two plugins
// would have them. What the files give is compared by descriptor_test.cpp.

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
