#pragma once

/// The tree behind a FieldSet: which parts of each field of a type are kept.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/api/descriptor.h>
#include <capstan/api/field_set.h>

namespace capstan::internal {

struct FieldNode {
  enum class Keep : uint8_t { kNone, kAll, kPart };
  /// Selects the elements of a list whose member has this value.
  struct Element {
    const FieldDescriptor* member = nullptr;
    std::string value;
    friend bool operator==(const Element&, const Element&) = default;
  };
  struct Field {
    Keep keep = Keep::kNone;
    /// The following are for kPart only. For objects and lists of objects: the kept members; null:
    /// all.
    std::shared_ptr<const FieldNode> nested = {};
    std::vector<Element> elements = {};  ///< for lists: elements that match one; empty: all
    std::vector<std::string> keys = {};  ///< for maps: the kept keys
  };

  const TypeDescriptor* type = nullptr;
  std::vector<Field> fields;  ///< one for each field of `type`
};

/// What is kept of a field. If `node` is null, all is kept.
inline FieldNode::Keep KeepOf(const FieldNode* node, const FieldDescriptor& field) {
  return node ? node->fields[static_cast<size_t>(&field - node->type->fields)].keep
              : FieldNode::Keep::kAll;
}
/// Null if all or nothing is kept.
inline const FieldNode::Field* PartOf(const FieldNode* node, const FieldDescriptor& field) {
  if (KeepOf(node, field) != FieldNode::Keep::kPart) return nullptr;
  return &node->fields[static_cast<size_t>(&field - node->type->fields)];
}
/// What is kept below a field; null: all.
inline const FieldNode* NestedOf(const FieldNode* node, const FieldDescriptor& field) {
  const FieldNode::Field* part = PartOf(node, field);
  return part ? part->nested.get() : nullptr;
}

bool KeepsKey(const FieldNode::Field& part, std::string_view key);
bool KeepsElement(const FieldNode::Field& part, const void* element);

}  // namespace capstan::internal
