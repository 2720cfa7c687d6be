#pragma once

/// Validation of resource requirements ({limits, requests}), and comparison of quantities.

#include <string_view>

#include "apiserver/validation/field_error.h"
#include "apiserver/validation/field_path.h"
#include "json/value.h"

namespace capstan::testing::server {

void ValidateResourceRequirements(const json::Value& requirements, const FieldPath& path,
                                  FieldErrors& errors);

/// ValidateResourceName accepts any resource name. ValidateContainerResourceName accepts the
/// resources that a container can request.
void ValidateResourceName(std::string_view name, const FieldPath& path, FieldErrors& errors);
void ValidateContainerResourceName(std::string_view name, const FieldPath& path,
                                   FieldErrors& errors);

/// Returns a negative number, 0 or a positive number. A text that is not a quantity counts as 0.
int CompareQuantities(std::string_view a, std::string_view b);
bool IsWholeQuantity(std::string_view quantity);
/// Returns the integer that is not nearer to 0 than the quantity: 2 for "1500m".
int64_t IntegerOf(std::string_view quantity);
/// Whether the resource is one that Kubernetes defines. Other names are extended resources.
bool IsNativeResource(std::string_view name);

}  // namespace capstan::testing::server
