#pragma once

// Writing described objects, and parts of them, as JSON.

#include <string>

#include <capstan/api/descriptor.h>

#include "base/json/json_text.h"

namespace capstan::internal {

// Whether the field's value is left out of an object's JSON (unless it is kAlwaysEncode): a zero,
// an empty list, an optional without a value, a struct of nothing but such.
bool IsZero(const FieldDescriptor& field, const void* member);

// Appends the whole field: list, optional or plain. Nothing at all is written as null.
void AppendField(std::string& out, const FieldDescriptor& field, const void* member);

// Appends "key":value for each field of `object` that is not left out.
void AppendFields(json::ObjectWriter& writer, std::string& out, const TypeDescriptor& type,
                  const void* object);

}  // namespace capstan::internal
