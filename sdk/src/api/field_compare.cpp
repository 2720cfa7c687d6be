#include "api/field_compare.h"

#include <type_traits>

#include <capstan/api/object.h>

#include "api/field_access.h"
#include "api/hashing.h"

namespace capstan {
namespace internal {
namespace {

bool IsCarried(FieldKind kind) {
  return kind == FieldKind::kRawJson || kind == FieldKind::kUnknownMembers;
}

bool EqualValues(const FieldDescriptor& field, const void* a, const void* b) {
  if (field.kind == FieldKind::kObject) return EqualObjects(field.nested(), a, b);
  if (IsCarried(field.kind)) return SemanticallyEqual(As<RawJson>(a), As<RawJson>(b));
  return VisitValue(field.kind, a, [b](const auto& value) {
    return value == As<std::remove_cvref_t<decltype(value)>>(b);
  });
}

uint64_t Hash(bool value) { return value; }
uint64_t Hash(int32_t value) { return static_cast<uint64_t>(value); }
uint64_t Hash(int64_t value) { return static_cast<uint64_t>(value); }
uint64_t Hash(const std::string& value) { return HashText(value); }
uint64_t Hash(const InternedString& value) { return value.hash(); }
uint64_t Hash(const Uid& value) { return value.hash(); }
uint64_t Hash(const api::Time& value) { return static_cast<uint64_t>(value.seconds()); }
uint64_t Hash(const api::MicroTime& value) { return static_cast<uint64_t>(value.microseconds()); }
uint64_t Hash(const api::IntOrString& value) {
  return value.is_string() ? HashText(value.string_value()) : Hash(value.int_value());
}
uint64_t Hash(const StringMap& value) {
  uint64_t hash = value.size();
  for (const auto& [key, text] : value) {
    hash = Combine(Combine(hash, key.hash()), HashText(text));
  }
  return hash;
}
uint64_t Hash(const RawJson& value) { return value.SemanticHash(); }

uint64_t HashValue(const FieldDescriptor& field, const void* slot) {
  if (field.kind == FieldKind::kObject) return HashObject(field.nested(), slot);
  return VisitValue(field.kind, slot, [](const auto& value) { return Hash(value); });
}

}  // namespace

bool EqualFields(const FieldDescriptor& field, const void* a, const void* b) {
  if (field.shape == FieldShape::kPlain) return EqualValues(field, a, b);
  const ContainerOps& container = *field.container;
  const size_t size = container.size(a);
  if (size != container.size(b)) return false;
  for (size_t i = 0; i < size; ++i) {
    if (!EqualValues(field, container.at(a, i), container.at(b, i))) return false;
  }
  return true;
}

uint64_t HashField(const FieldDescriptor& field, const void* member) {
  if (field.shape == FieldShape::kPlain) return HashValue(field, member);
  const size_t size = field.container->size(member);
  uint64_t hash = size;
  for (size_t i = 0; i < size; ++i) {
    hash = Combine(hash, HashValue(field, field.container->at(member, i)));
  }
  return hash;
}

}  // namespace internal

bool EqualObjects(const TypeDescriptor& type, const void* a, const void* b) {
  for (const FieldDescriptor& field : internal::FieldsOf(type)) {
    if (!internal::EqualFields(field, internal::MemberOf(field, a), internal::MemberOf(field, b))) {
      return false;
    }
  }
  return true;
}

uint64_t HashObject(const TypeDescriptor& type, const void* object) {
  uint64_t hash = type.field_count;
  for (const FieldDescriptor& field : internal::FieldsOf(type)) {
    hash = internal::Combine(hash, internal::HashField(field, internal::MemberOf(field, object)));
  }
  return hash;
}

}  // namespace capstan
