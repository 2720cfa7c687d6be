#pragma once

/// Equality and hashes of described fields. Carried JSON is compared by its meaning.

#include <cstdint>

#include <capstan/api/descriptor.h>

namespace capstan::internal {

bool EqualFields(const FieldDescriptor& field, const void* a, const void* b);
uint64_t HashField(const FieldDescriptor& field, const void* member);

}  // namespace capstan::internal
