#pragma once

// The tree behind a FieldSet: what is kept of each field of a type.

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
  // Elements of a list whose member has this value.
  struct Element {
    const FieldDescriptor* member = nullptr;
    std::string value;
    friend bool operator==(const Element&, const Element&) = default;
  };
  struct Field {
    Keep keep = Keep::kNone;
    // These are of kPart.
    // Of objects and lists of objects: which members; null: all.
    std::shared_ptr<const FieldNode> nested = {};
    std::vector<Element> elements = {};  // of lists: those for which one holds; empty: all
    std::vector<std::string> keys = {};  // of maps: those that are kept
  };

  const TypeDescriptor* type = nullptr;
  std::vector<Field> fields;  // one for each of the type's
};

// What is kept of a field. Null `node`: all.
inline FieldNode::Keep KeepOf(const FieldNode* node, const FieldDescriptor& field) {
  return node ? node->fields[static_cast<size_t>(&field - node->type->fields)].keep
              : FieldNode::Keep::kAll;
}
// Null when all or nothing is kept.
inline const FieldNode::Field* PartOf(const FieldNode* node, const FieldDescriptor& field) {
  if (KeepOf(node, field) != FieldNode::Keep::kPart) return nullptr;
  return &node->fields[static_cast<size_t>(&field - node->type->fields)];
}
// What is kept below a field. Null: all.
inline const FieldNode* NestedOf(const FieldNode* node, const FieldDescriptor& field) {
  const FieldNode::Field* part = PartOf(node, field);
  return part ? part->nested.get() : nullptr;
}

bool KeepsKey(const FieldNode::Field& part, std::string_view key);
bool KeepsElement(const FieldNode::Field& part, const void* element);

}  // namespace capstan::internal
