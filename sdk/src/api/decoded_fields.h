#pragma once

/// What the decoders of JSON and protobuf do with the fields that they have read.

#include <span>
#include <string_view>
#include <utility>

#include <capstan/api/descriptor.h>

#include "api/field_node.h"

namespace capstan::internal {

/// Frees the boxes of `object` whose members are all zero.
void ResetZeroBoxes(const TypeDescriptor& type, void* object);

using MapEntries = std::span<const std::pair<std::string_view, std::string_view>>;
/// Sets a field that is a StringMap. `part` is the part of the field that is kept; null: all.
void AssignMap(const FieldDescriptor& field, const FieldNode::Field* part,
               const MapEntries& entries, StringMap& map);

/// Removes the last element of a list unless `part` keeps it.
void DropUnlessKept(const FieldDescriptor& field, const FieldNode::Field* part, void* list);

/// Completes a field that is a list, after its last element.
void FinishList(const FieldDescriptor& field, void* list);

}  // namespace capstan::internal
