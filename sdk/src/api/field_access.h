#pragma once

/// Access to the members that field descriptors describe.

#include <cstddef>
#include <span>

#include <capstan/api/descriptor.h>

namespace capstan::internal {

template <class T>
T& As(void* slot) {
  return *static_cast<T*>(slot);
}
template <class T>
const T& As(const void* slot) {
  return *static_cast<const T*>(slot);
}

/// Allocates the box of a boxed member.
inline void* MemberOf(const FieldDescriptor& field, void* object) {
  if (field.box) {
    return static_cast<char*>(field.box->edit(static_cast<char*>(object) + field.box_offset)) +
           field.offset;
  }
  return static_cast<char*>(object) + field.offset;
}
inline const void* MemberOf(const FieldDescriptor& field, const void* object) {
  if (field.box) {
    return static_cast<const char*>(
               field.box->get(static_cast<const char*>(object) + field.box_offset)) +
           field.offset;
  }
  return static_cast<const char*>(object) + field.offset;
}

inline std::span<const FieldDescriptor> FieldsOf(const TypeDescriptor& type) {
  return {type.fields, type.field_count};
}

/// Calls `visitor` with the value at `slot` as its type. Not for kObject and kUnknownMembers.
template <class Visitor>
decltype(auto) VisitValue(FieldKind kind, const void* slot, Visitor&& visitor) {
  switch (kind) {
    case FieldKind::kBool:
      return visitor(As<bool>(slot));
    case FieldKind::kInt32:
      return visitor(As<int32_t>(slot));
    case FieldKind::kInt64:
      return visitor(As<int64_t>(slot));
    case FieldKind::kString:
      return visitor(As<std::string>(slot));
    case FieldKind::kInternedString:
      return visitor(As<InternedString>(slot));
    case FieldKind::kUid:
      return visitor(As<Uid>(slot));
    case FieldKind::kTime:
      return visitor(As<api::Time>(slot));
    case FieldKind::kMicroTime:
      return visitor(As<api::MicroTime>(slot));
    case FieldKind::kIntOrString:
      return visitor(As<api::IntOrString>(slot));
    case FieldKind::kStringMap:
      return visitor(As<StringMap>(slot));
    case FieldKind::kRawJson:
    case FieldKind::kObject:
    case FieldKind::kUnknownMembers:
      break;
  }
  return visitor(As<RawJson>(slot));
}

}  // namespace capstan::internal
