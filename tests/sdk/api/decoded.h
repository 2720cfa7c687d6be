#pragma once

#include <gtest/gtest.h>

#include <string_view>

#include <capstan/api/object.h>

namespace capstan::testing {

// Decodes `json`, which must be valid.
template <class T>
T Decoded(std::string_view json) {
  auto object = FromJson<T>(json);
  EXPECT_TRUE(object.ok()) << object.status().ToString();
  return object.ok() ? *object : T{};
}

}  // namespace capstan::testing
