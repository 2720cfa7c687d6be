#pragma once

/// Operations on described objects: JSON decoding and encoding, equality, merge patches.
///
/// The functions that take (descriptor, void*) are the core and are compiled once. The templates
/// only cast. All functions are pure and may be called from any thread.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <capstan/api/descriptor.h>
#include <capstan/api/meta_v1.h>
#include <capstan/export.h>
#include <capstan/runtime/status.h>

namespace capstan {

/// An immutable object of a described type. Its holders share it.
using ObjectPtr = std::shared_ptr<const void>;

/// Creates a default object of `type`. The caller owns it.
CAPSTAN_EXPORT std::shared_ptr<void> NewObject(const TypeDescriptor& type);
CAPSTAN_EXPORT std::shared_ptr<void> CopyObject(const TypeDescriptor& type, const void* object);

inline const api::ObjectMeta& MetadataOf(const TypeDescriptor& type, const void* object) {
  return *reinterpret_cast<const api::ObjectMeta*>(static_cast<const char*>(object) +
                                                   type.metadata_offset);
}

/// Decodes one JSON object into `object`, which must be newly constructed. Skips unknown members,
/// and members that are not in `fields`. The error is Malformed and names the path, e.g.
/// "spec.replicas: expected an integer".
CAPSTAN_EXPORT Status DecodeJson(const TypeDescriptor& type, std::string_view json, void* object,
                                 const FieldSet& fields = {});

/// Encodes the object as JSON. A resource gets its apiVersion and kind. Omits zero values, except
/// of fields that are always encoded.
CAPSTAN_EXPORT std::string EncodeJson(const TypeDescriptor& type, const void* object);

/// Returns the JSON merge patch (RFC 7386) that turns `from` into `to`, or "" when they are equal.
/// The patch contains whole lists (but never kReadOnly lists). It contains maps and structs member
/// by member. It contains apiVersion, kind and resourceVersion only if they differ.
///
/// A field that one of the two objects does not keep (ObjectMeta::kept) is not a difference: the
/// patch neither writes nor removes it. The patch does not write a list that is kept in part, and
/// does not remove an object that is kept in part.
CAPSTAN_EXPORT std::string DiffMergePatch(const TypeDescriptor& type, const void* from,
                                          const void* to);

/// Checks that a patch can contain every difference between `from` and `to`, two states of one
/// object. InvalidArgument: the message names a field that differs but is not kept, so that no
/// patch contains it. A plugin that writes a field must declare that it reads the field.
CAPSTAN_EXPORT Status CheckDifferenceIsKept(const TypeDescriptor& type, const void* from,
                                            const void* to);

/// Compares all described fields. RawJson values compare semantically.
CAPSTAN_EXPORT bool EqualObjects(const TypeDescriptor& type, const void* a, const void* b);
/// Equal objects have equal hashes.
CAPSTAN_EXPORT uint64_t HashObject(const TypeDescriptor& type, const void* object);

template <class T>
Result<T> FromJson(std::string_view json) {
  T object{};
  if (Status status = DecodeJson(DescriptorOf<T>(), json, &object); !status.ok()) return status;
  return object;
}
template <class T>
std::string ToJson(const T& object) {
  return EncodeJson(DescriptorOf<T>(), &object);
}
template <class T>
std::string MergePatch(const T& from, const T& to) {
  return DiffMergePatch(DescriptorOf<T>(), &from, &to);
}
template <class T>
bool Equal(const T& a, const T& b) {
  return EqualObjects(DescriptorOf<T>(), &a, &b);
}

template <ApiObject T>
const ResourceInfo& ResourceOf() {
  return *DescriptorOf<T>().resource;
}

}  // namespace capstan
