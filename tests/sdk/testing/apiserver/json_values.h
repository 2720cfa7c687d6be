#pragma once

// JSON values for tests, written as text.

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "json/value.h"

namespace capstan::testing::server {

inline json::Value Json(std::string_view text) {
  Result<json::ParsedValue> parsed = json::ParseValue(std::string(text));
  EXPECT_TRUE(parsed.ok()) << text << ": " << parsed.status().ToString();
  return parsed.ok() ? parsed->value : json::Value();
}

}  // namespace capstan::testing::server
