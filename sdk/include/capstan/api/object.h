#pragma once

/// What the interpreter of descriptors does with an object: JSON in and out, equality, difference.
///
/// The functions over (descriptor, void*) are the core, compiled once; the templates only cast.
/// All are pure and may be called from any thread.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <capstan/api/descriptor.h>
#include <capstan/api/meta_v1.h>
#include <capstan/export.h>
#include <capstan/runtime/status.h>

namespace capstan {

/// An immutable object of some described type, shared by whoever holds it.
using ObjectPtr = std::shared_ptr<const void>;

/// A new, default object of `type`, owned.
CAPSTAN_EXPORT std::shared_ptr<void> NewObject(const TypeDescriptor& type);
CAPSTAN_EXPORT std::shared_ptr<void> CopyObject(const TypeDescriptor& type, const void* object);

inline const api::ObjectMeta& MetadataOf(const TypeDescriptor& type, const void* object) {
  return *reinterpret_cast<const api::ObjectMeta*>(static_cast<const char*>(object) +
                                                   type.metadata_offset);
}

/// Decodes one JSON object into `object`, which must be freshly constructed. Unknown members, and
/// those that are not in `fields`, are skipped. The error is Malformed and names the path
/// ("spec.replicas: expected an integer").
CAPSTAN_EXPORT Status DecodeJson(const TypeDescriptor& type, std::string_view json, void* object,
                                 const FieldSet& fields = {});

/// The object as JSON. A resource gets its apiVersion and kind. Zero values are left out, except of
/// fields that are always written.
CAPSTAN_EXPORT std::string EncodeJson(const TypeDescriptor& type, const void* object);

/// The JSON merge patch (RFC 7386) that makes `from` into `to`, or "" when they are equal. Lists
/// are written whole (those that are kReadOnly never), maps and structs member by member. Neither
/// apiVersion, kind nor resourceVersion is part of it unless it differs.
///
/// What is not kept of one of the two (ObjectMeta::kept) is no difference: it is neither written
/// nor removed. A list of which a part is kept is not written; an object of which a part is kept is
/// not removed.
CAPSTAN_EXPORT std::string DiffMergePatch(const TypeDescriptor& type, const void* from,
                                          const void* to);

/// InvalidArgument names a field that differs between `from` and `to`, two states of one object,
/// and that no patch holds as it is not kept: who writes a field states that it is read.
CAPSTAN_EXPORT Status CheckDifferenceIsKept(const TypeDescriptor& type, const void* from,
                                            const void* to);

/// Equality of all described fields; RawJson parts compare semantically.
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
