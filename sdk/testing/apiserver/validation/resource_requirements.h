#pragma once

// What containers ask for: {limits, requests}, and quantities by their value.

#include <string_view>

#include "apiserver/validation/field_error.h"
#include "apiserver/validation/field_path.h"
#include "json/value.h"

namespace capstan::testing::server {

void ValidateResourceRequirements(const json::Value& requirements, const FieldPath& path,
                                  FieldErrors& errors);

// Names of resources: of any sort, and of what a container may ask for.
void ValidateResourceName(std::string_view name, const FieldPath& path, FieldErrors& errors);
void ValidateContainerResourceName(std::string_view name, const FieldPath& path,
                                   FieldErrors& errors);

// Negative, 0 or positive. What is no quantity counts as 0.
int CompareQuantities(std::string_view a, std::string_view b);
bool IsWholeQuantity(std::string_view quantity);

}  // namespace capstan::testing::server
