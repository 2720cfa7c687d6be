#pragma once

/// Registration of libcapstan's own kinds: one macro per struct, in the header that defines the
/// struct, and one line in capstan/api/kind_list.h.
///
///     namespace capstan::api::apps::v1 {
///     struct ReplicaSetSpec { std::optional<int32_t> replicas; ... };
///     struct ReplicaSet { ObjectMeta metadata; ReplicaSetSpec spec; ReplicaSetStatus status; };
///     }
///     CAPSTAN_API_TYPE(capstan::api::apps::v1::ReplicaSetSpec, CAPSTAN_FIELD(replicas, 1), ...)
///     CAPSTAN_API_RESOURCE(capstan::api::apps::v1::ReplicaSet,
///                          (.group = "apps", .version = "v1", .resource = "replicasets",
///                           .kind = "ReplicaSet", .namespaced = true),
///                          CAPSTAN_FIELD(metadata, 1), CAPSTAN_FIELD(spec, 2), ...)
///
/// Scheme, the layout fingerprint and the tests derive from the registration. A struct with a
/// member that no field describes does not compile. A test compares names, numbers and types with
/// the Kubernetes fact table (docs/kinds.md).
///
/// Plugins describe their own structs with the macros of capstan/api/descriptor.h.

#include <cstddef>

#include <capstan/api/descriptor.h>
#include <capstan/api/kind_list.h>

namespace capstan::internal {

/// The table of T. The macros below specialise it:
///   kName          the name of T
///   kResource      null for nested types
///   kFields<T, Maker>  the fields, built by a Maker (e.g. DescriptorMaker); instantiated only by
///                  the code that uses them
///                  needs them instantiates them.
template <class T>
struct TableOf;

/// The number of bytes at the end of T that hold members which are not fields of the API.
template <class T>
inline constexpr size_t kBytesOutsideApi = 0;

/// The location of a member in a struct.
struct Extent {
  size_t begin = 0;
  size_t end = 0;
  size_t alignment = 1;
};

template <class Member>
constexpr Extent ExtentOf(size_t offset) {
  return {offset, offset + sizeof(Member), alignof(Member)};
}

/// The location of a field. Used to find members that no field describes.
struct ExtentMaker {
  struct Type {
    Extent member;   ///< in the struct, or in the boxed struct
    Extent box;      ///< in the struct; empty without a box
    Extent content;  ///< the whole boxed struct
    uint8_t flags = 0;
  };
  template <class Member, class... Number>
  static constexpr Type Field(const char*, size_t offset, Number...) {
    return {ExtentOf<Member>(offset), {}, {}};
  }
  template <class Box, class Member, class... Number>
  static constexpr Type FieldIn(size_t box_offset, const char*, size_t offset, Number...) {
    return {ExtentOf<Member>(offset), ExtentOf<Box>(box_offset), ExtentOf<ValueOf<Box>>(0)};
  }
  static constexpr Type UnknownMembers(size_t offset) { return Field<RawJson>("", offset); }
  template <class Box>
  static constexpr Type UnknownMembersIn(size_t box_offset, size_t offset) {
    return FieldIn<Box, RawJson>(box_offset, "", offset);
  }
};

/// Returns whether the extents that `of` returns for the fields are adjacent and reach the end of
/// `whole`, with only padding between them. Skips empty extents.
template <size_t N, class Function>
constexpr bool Covers(const ExtentMaker::Type (&fields)[N], const Extent& whole, Function of) {
  const auto padded = [](size_t end, size_t alignment) {
    return (end + alignment - 1) / alignment * alignment;
  };
  size_t end = 0;
  while (padded(end, whole.alignment) != whole.end) {
    size_t next = end;
    for (const ExtentMaker::Type& field : fields) {
      const Extent extent = of(field);
      if (extent.end > end && extent.begin == padded(end, extent.alignment)) next = extent.end;
    }
    if (next == end) return false;
    end = next;
  }
  return true;
}

/// Returns whether the table of T describes all members of the struct and of its boxed structs.
/// Does not detect a member that fits into padding.
template <class T>
constexpr bool DescribesEveryMember() {
  using Field = ExtentMaker::Type;
  const auto& fields = TableOf<T>::template kFields<T, ExtentMaker>;
  const Extent whole{0, sizeof(T) - kBytesOutsideApi<T>, alignof(T)};
  if (!Covers(fields, whole,
              [](const Field& field) { return field.box.end > 0 ? field.box : field.member; })) {
    return false;
  }
  for (const Field& boxed : fields) {
    if (boxed.box.end > 0 && !Covers(fields, boxed.content, [&](const Field& field) {
          return field.box.end == boxed.box.end ? field.member : Extent{};
        })) {
      return false;
    }
  }
  return true;
}

template <class T>
constexpr TypeDescriptor MakeTypeOf() {
  const auto& fields = TableOf<T>::template kFields<T, DescriptorMaker>;
  size_t metadata = 0;
  if constexpr (requires { &T::metadata; }) metadata = offsetof(T, metadata);
  return MakeType<T>(TableOf<T>::kName, fields, sizeof(fields) / sizeof(fields[0]),
                     TableOf<T>::kResource, metadata);
}

}  // namespace capstan::internal

/// Registers a struct that is part of a kind.
#define CAPSTAN_API_TYPE(T, ...) CAPSTAN_INTERNAL_TABLE(T, nullptr, , __VA_ARGS__)
/// Registers a kind. `info` is a ResourceInfo in parentheses.
#define CAPSTAN_API_RESOURCE(T, info, ...)                                                    \
  static_assert(::capstan::internal::kIsListed<T>, "list it in capstan/api/kind_list.h");     \
  CAPSTAN_INTERNAL_TABLE(                                                                     \
      T, &kInfo, static constexpr ::capstan::ResourceInfo kInfo{CAPSTAN_INTERNAL_STRIP info}; \
      , __VA_ARGS__)

#define CAPSTAN_INTERNAL_TABLE(T, resource, info, ...)                        \
  template <>                                                                 \
  struct capstan::internal::TableOf<T> {                                      \
    static constexpr const char* kName = #T;                                  \
    info static constexpr const ::capstan::ResourceInfo* kResource{resource}; \
    template <class Self, class Maker>                                        \
    static constexpr typename Maker::Type kFields[] = {__VA_ARGS__};          \
  };                                                                          \
  CAPSTAN_DECLARE_EXPORTED(T)                                                 \
  CAPSTAN_INTERNAL_EMIT(T)

// One file of libcapstan (src/api/kinds.cpp) instantiates the tables. The tables are hidden from
// clang-tidy, which would report them as definitions in every file that includes the header.
#if defined(CAPSTAN_INTERNAL_EMIT_TABLES) && !defined(__clang_analyzer__)
#define CAPSTAN_INTERNAL_EMIT(T)                                                  \
  template <>                                                                     \
  const ::capstan::TypeDescriptor& capstan::DescriptorOf<T>() {                   \
    static constexpr ::capstan::TypeDescriptor kType = internal::MakeTypeOf<T>(); \
    return kType;                                                                 \
  }                                                                               \
  static_assert(::capstan::internal::DescribesEveryMember<T>(),                   \
                #T " has a member that no field describes");
#else
#define CAPSTAN_INTERNAL_EMIT(T)
#endif
