#pragma once

/// Writes described objects, and parts of them, as JSON.

#include <string>

#include <capstan/api/descriptor.h>

#include "base/json/json_text.h"

namespace capstan::internal {

/// Whether an object's JSON omits the value of the field (unless it is kAlwaysEncode): a zero, an
/// empty list, an optional without a value, or a struct of only such values.
bool IsZero(const FieldDescriptor& field, const void* member);

/// Appends the whole field: list, optional or plain. An absent value is written as null.
void AppendField(std::string& out, const FieldDescriptor& field, const void* member);

/// Appends "key":value for each field of `object` that is not omitted.
void AppendFields(json::ObjectWriter& writer, std::string& out, const TypeDescriptor& type,
                  const void* object);

}  // namespace capstan::internal
