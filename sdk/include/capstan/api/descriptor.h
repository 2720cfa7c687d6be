#pragma once

/// TypeDescriptor: describes a struct, so that one interpreter in libcapstan can decode, encode,
/// compare, hash and diff it.
///
/// A descriptor is a table of plain data. In a header:
///
///     struct WidgetSpec { int32_t size = 0; std::optional<bool> shiny; };
///     struct Widget { api::ObjectMeta metadata; WidgetSpec spec; };
///     CAPSTAN_DECLARE_TYPE(WidgetSpec)
///     CAPSTAN_DECLARE_RESOURCE(Widget)
///
/// and in one .cpp (or in the same file, for a type that only one file uses):
///
///     CAPSTAN_DEFINE_TYPE(WidgetSpec, CAPSTAN_FIELD(size), CAPSTAN_FIELD(shiny))
///     CAPSTAN_DEFINE_RESOURCE(Widget,
///         (.group = "example.dev", .version = "v1", .resource = "widgets", .kind = "Widget",
///          .namespaced = true),
///         CAPSTAN_FIELD(metadata), CAPSTAN_FIELD(spec))
///
/// A field of a built-in kind also has its protobuf field number: CAPSTAN_FIELD(replicas, 1).
/// Custom resources have no protobuf encoding, so their fields have no numbers.
///
/// Use the macros at global scope, outside any namespace, with qualified type names. The structs
/// are standard-layout (members, no inheritance) and hold only the fields that the code needs. The
/// decoder skips all other JSON members.
///
/// The address of the table identifies the type: two plugins may each have a `Widget`, and the two
/// types are distinct.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <capstan/api/boxed.h>
#include <capstan/api/int_or_string.h>
#include <capstan/api/interned_string.h>
#include <capstan/api/list.h>
#include <capstan/api/raw_json.h>
#include <capstan/api/string_map.h>
#include <capstan/api/time.h>
#include <capstan/api/uid.h>
#include <capstan/export.h>

namespace capstan {

struct TypeDescriptor;

enum class FieldKind : uint8_t {
  kBool,
  kInt32,
  kInt64,
  kString,  ///< std::string
  kInternedString,
  kUid,
  kTime,
  kMicroTime,
  kIntOrString,
  kStringMap,
  kRawJson,
  kObject,          ///< a nested described struct
  kUnknownMembers,  ///< RawJson that keeps, and writes back, the members without a field
};

/// The container of the value in the struct.
enum class FieldShape : uint8_t { kPlain, kOptional, kList };

using ContainerEquality = std::function<bool(const void* a, const void* b)>;

/// Access to a std::optional or List of any element type.
struct ContainerOps {
  size_t (*size)(const void* container);
  const void* (*at)(const void* container, size_t index);
  void* (*append)(void* container);  ///< adds (for an optional: emplaces) and returns an element
  void (*pop)(void* container);      ///< removes the last element (for an optional: resets it)
  void (*finish)(void* container);   ///< releases spare capacity; called after the last append
  /// Replaces the content with the one that all equal lists share; `equal` compares containers.
  void (*share)(void* container, uint64_t hash, const ContainerEquality& equal);
};

/// Access to a Boxed of any type.
struct BoxOps {
  const void* (*get)(const void* box);  ///< the held object, or a default object; never null
  void* (*edit)(void* box);             ///< allocates the object if the box is empty
  bool (*allocated)(const void* box);
  void (*reset)(void* box);
};

enum FieldFlags : uint8_t {
  kNoFlags = 0,
  kAlwaysEncode = 1,  ///< encoded even when zero (the API type has no omitempty)
  kShared = 2,        ///< decoded values are shared between equal objects: a map or list
  kReadOnly = 4,      ///< elements of the list have undescribed members; never part of a patch
  kQuantity = 8,      ///< strings that are quantities; protobuf wraps each in a message
};

struct FieldDescriptor {
  const char* json;
  uint32_t offset;  ///< in the struct, or in the boxed struct
  FieldKind kind;
  FieldShape shape;
  uint8_t flags;
  uint16_t number;  ///< protobuf field number; 0 = none
  /// For a member of an object that Kubernetes inlines in JSON. In protobuf that object is a
  /// separate message, and this is the number of the field that holds the message. Otherwise 0.
  uint16_t within;
  const TypeDescriptor& (*nested)();  ///< kObject only
  const ContainerOps* container;      ///< kOptional and kList only
  const BoxOps* box;                  ///< set for a member of a Boxed; otherwise null
  uint32_t box_offset;                ///< offset of the Boxed in the struct
};

/// The API resource that serves a top-level object.
struct ResourceInfo {
  const char* group = "";  ///< "" for core
  const char* version = "";
  const char* resource = "";  ///< plural, lower case: "deployments"
  const char* kind = "";
  bool namespaced = false;
  /// The client requests only the metadata (PartialObjectMetadata). The struct describes nothing
  /// else, and patches and comparisons cover only the metadata.
  bool metadata_only = false;

  /// "apps/v1", or "v1".
  std::string ApiVersion() const {
    return group[0] == '\0' ? std::string(version) : std::string(group) + "/" + version;
  }
};

struct TypeDescriptor {
  const char* name;  ///< the struct's name, for messages
  const FieldDescriptor* fields;
  uint32_t field_count;
  uint32_t size;
  void (*construct)(void* storage);
  void (*destroy)(void* object);
  /// Allocates a new object, which is default or a copy of `object`. The object and its reference
  /// counts are one allocation.
  std::shared_ptr<void> (*make)(const void* object_or_null);
  const ResourceInfo* resource;  ///< null for nested types
  uint32_t metadata_offset;      ///< offset of the ObjectMeta member of a resource
};

/// Returns the table of T. Specialised by CAPSTAN_DECLARE_TYPE and CAPSTAN_DECLARE_RESOURCE.
template <class T>
const TypeDescriptor& DescriptorOf();

/// A type declared by CAPSTAN_DECLARE_RESOURCE. Client, Lister and informers work with such types.
template <class T>
concept ApiObject = requires(const T& object) {
  object.metadata;
  DescriptorOf<T>();
};

namespace internal {

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
inline constexpr bool kIsList = false;
template <class T>
inline constexpr bool kIsList<List<T>> = true;

template <class T>
struct ElementOf {
  using Type = T;
};
template <class T>
struct ElementOf<std::optional<T>> {
  using Type = T;
};
template <class T>
struct ElementOf<List<T>> {
  using Type = T;
};

template <class T>
constexpr FieldKind KindOf() {
  if constexpr (std::is_same_v<T, bool>)
    return FieldKind::kBool;
  else if constexpr (std::is_same_v<T, int32_t>)
    return FieldKind::kInt32;
  else if constexpr (std::is_same_v<T, int64_t>)
    return FieldKind::kInt64;
  else if constexpr (std::is_same_v<T, std::string>)
    return FieldKind::kString;
  else if constexpr (std::is_same_v<T, InternedString>)
    return FieldKind::kInternedString;
  else if constexpr (std::is_same_v<T, Uid>)
    return FieldKind::kUid;
  else if constexpr (std::is_same_v<T, api::Time>)
    return FieldKind::kTime;
  else if constexpr (std::is_same_v<T, api::MicroTime>)
    return FieldKind::kMicroTime;
  else if constexpr (std::is_same_v<T, api::IntOrString>)
    return FieldKind::kIntOrString;
  else if constexpr (std::is_same_v<T, StringMap>)
    return FieldKind::kStringMap;
  else if constexpr (std::is_same_v<T, RawJson>)
    return FieldKind::kRawJson;
  else
    return FieldKind::kObject;
}

template <class T>
struct OptionalOps {
  static size_t Size(const void* c) { return static_cast<const std::optional<T>*>(c)->has_value(); }
  static const void* At(const void* c, size_t) {
    return &**static_cast<const std::optional<T>*>(c);
  }
  static void* Append(void* c) { return &static_cast<std::optional<T>*>(c)->emplace(); }
  static void Pop(void* c) { static_cast<std::optional<T>*>(c)->reset(); }
  static void Finish(void*) {}
  static void Share(void*, uint64_t, const ContainerEquality&) {}
  static constexpr ContainerOps kOps{Size, At, Append, Pop, Finish, Share};
};

template <class T>
struct ListOps {
  static size_t Size(const void* c) { return static_cast<const List<T>*>(c)->size(); }
  static const void* At(const void* c, size_t i) { return &(*static_cast<const List<T>*>(c))[i]; }
  static void* Append(void* c) { return &static_cast<List<T>*>(c)->emplace_back(); }
  static void Pop(void* c) { static_cast<List<T>*>(c)->pop_back(); }
  static void Finish(void* c) { static_cast<List<T>*>(c)->shrink_to_fit(); }
  static void Share(void* c, uint64_t hash, const ContainerEquality& equal) {
    static_cast<List<T>*>(c)->Share(
        hash, [&equal](const List<T>& a, const List<T>& b) { return equal(&a, &b); });
  }
  static constexpr ContainerOps kOps{Size, At, Append, Pop, Finish, Share};
};

template <class T>
struct BoxedOps {
  static const void* Get(const void* box) { return &**static_cast<const Boxed<T>*>(box); }
  static void* Edit(void* box) { return &static_cast<Boxed<T>*>(box)->Edit(); }
  static bool Allocated(const void* box) { return static_cast<const Boxed<T>*>(box)->allocated(); }
  static void Reset(void* box) { static_cast<Boxed<T>*>(box)->Reset(); }
  static constexpr BoxOps kOps{Get, Edit, Allocated, Reset};
};

template <class T>
constexpr FieldShape ShapeOf() {
  if constexpr (kIsOptional<T>)
    return FieldShape::kOptional;
  else if constexpr (kIsList<T>)
    return FieldShape::kList;
  else
    return FieldShape::kPlain;
}

template <class T>
constexpr const ContainerOps* ContainerOpsOf() {
  if constexpr (kIsOptional<T>)
    return &OptionalOps<typename ElementOf<T>::Type>::kOps;
  else if constexpr (kIsList<T>)
    return &ListOps<typename ElementOf<T>::Type>::kOps;
  else
    return nullptr;
}

/// The type that a Boxed holds.
template <class Box>
using ValueOf = typename Box::value_type;

/// Box is the type of the Boxed member.
template <class Box>
constexpr FieldDescriptor InBox(FieldDescriptor field, size_t box_offset) {
  field.box = &BoxedOps<typename Box::value_type>::kOps;
  field.box_offset = static_cast<uint32_t>(box_offset);
  return field;
}

/// Makes the fields of a table. Member is the member's type as declared in the struct.
struct DescriptorMaker {
  using Type = FieldDescriptor;

  template <class Member>
  static constexpr FieldDescriptor Field(const char* json, size_t offset, uint16_t number = 0) {
    return Field<Member>(json, offset, 0, number);
  }
  template <class Member>
  static constexpr FieldDescriptor Field(const char* json, size_t offset, uint16_t within,
                                         uint16_t number) {
    using Element = typename ElementOf<Member>::Type;
    FieldDescriptor field{};
    field.json = json;
    field.offset = static_cast<uint32_t>(offset);
    field.kind = KindOf<Element>();
    field.shape = ShapeOf<Member>();
    field.number = number;
    field.within = within;
    field.container = ContainerOpsOf<Member>();
    if constexpr (KindOf<Element>() == FieldKind::kObject) field.nested = &DescriptorOf<Element>;
    return field;
  }
  /// A member of the struct in a Boxed. Box is the type of the Boxed member.
  template <class Box, class Member, class... Number>
  static constexpr FieldDescriptor FieldIn(size_t box_offset, const char* json, size_t offset,
                                           Number... number) {
    return InBox<Box>(Field<Member>(json, offset, number...), box_offset);
  }
  template <class Box>
  static constexpr FieldDescriptor UnknownMembersIn(size_t box_offset, size_t offset) {
    return InBox<Box>(UnknownMembers(offset), box_offset);
  }
  static constexpr FieldDescriptor UnknownMembers(size_t offset) {
    FieldDescriptor field{};
    field.json = "";
    field.offset = static_cast<uint32_t>(offset);
    field.kind = FieldKind::kUnknownMembers;
    return field;
  }
};

/// Works with the fields of every Maker.
template <class Field>
constexpr Field WithFlags(Field field, uint8_t flags) {
  field.flags = static_cast<uint8_t>(field.flags | flags);
  return field;
}
template <class T>
constexpr TypeDescriptor MakeType(const char* name, const FieldDescriptor* fields, size_t count,
                                  const ResourceInfo* resource, size_t metadata_offset) {
  static_assert(std::is_standard_layout_v<T>, "API structs are standard-layout");
  return {name,
          fields,
          static_cast<uint32_t>(count),
          static_cast<uint32_t>(sizeof(T)),
          [](void* storage) { ::new (storage) T(); },
          [](void* object) { static_cast<T*>(object)->~T(); },
          [](const void* object) -> std::shared_ptr<void> {
            return object ? std::make_shared<T>(*static_cast<const T*>(object))
                          : std::make_shared<T>();
          },
          resource,
          static_cast<uint32_t>(metadata_offset)};
}

}  // namespace internal
}  // namespace capstan

#define CAPSTAN_DECLARE_TYPE(T) \
  template <>                   \
  const ::capstan::TypeDescriptor& capstan::DescriptorOf<T>();
#define CAPSTAN_DECLARE_RESOURCE(T) CAPSTAN_DECLARE_TYPE(T)
/// The same as both macros above, for libcapstan's own types. The tables of all other types stay
/// within their plugin.
#define CAPSTAN_DECLARE_EXPORTED(T) \
  template <>                       \
  CAPSTAN_EXPORT const ::capstan::TypeDescriptor& capstan::DescriptorOf<T>();

/// A member whose JSON name is the member's name, or `json`. The protobuf field number follows. A
/// member of an inlined object has two numbers: that of the message that JSON inlines, and that of
/// the field in the message (2, 10).
#define CAPSTAN_FIELD(member, ...) CAPSTAN_FIELD_AS(member, #member __VA_OPT__(, ) __VA_ARGS__)
#define CAPSTAN_FIELD_AS(member, json, ...)           \
  Maker::template Field<decltype(Self::member)>(json, \
                                                offsetof(Self, member) __VA_OPT__(, ) __VA_ARGS__)
/// A member of the struct in `boxed_member`, a Boxed. In JSON it is a member of the enclosing
/// struct.
#define CAPSTAN_FIELD_IN(boxed_member, member, ...) \
  CAPSTAN_FIELD_IN_AS(boxed_member, member, #member __VA_OPT__(, ) __VA_ARGS__)
#define CAPSTAN_FIELD_IN_AS(boxed_member, member, json, ...)                                      \
  Maker::template FieldIn<                                                                        \
      decltype(Self::boxed_member),                                                               \
      decltype(::capstan::internal::ValueOf<decltype(Self::boxed_member)>::member)>(              \
      offsetof(Self, boxed_member), json,                                                         \
      offsetof(::capstan::internal::ValueOf<decltype(Self::boxed_member)>, member) __VA_OPT__(, ) \
          __VA_ARGS__)
/// Like CAPSTAN_FIELD, but encoded even when zero.
#define CAPSTAN_FIELD_ALWAYS(member, ...)                                          \
  ::capstan::internal::WithFlags(CAPSTAN_FIELD(member __VA_OPT__(, ) __VA_ARGS__), \
                                 ::capstan::kAlwaysEncode)
/// Like CAPSTAN_FIELD, for maps and lists with the same content in many objects. A list must not
/// contain RawJson.
#define CAPSTAN_FIELD_SHARED(member, ...)                                          \
  ::capstan::internal::WithFlags(CAPSTAN_FIELD(member __VA_OPT__(, ) __VA_ARGS__), \
                                 ::capstan::kShared)
/// Quantities ("500m"), or a map of them.
#define CAPSTAN_QUANTITIES(field) ::capstan::internal::WithFlags(field, ::capstan::kQuantity)
/// A list of structs that describe only a part of the API type. Patches never contain it, because
/// they would remove the other members.
#define CAPSTAN_READ_ONLY(field) ::capstan::internal::WithFlags(field, ::capstan::kReadOnly)
/// A RawJson member that keeps the JSON members that no field describes.
#define CAPSTAN_UNKNOWN_MEMBERS(member) Maker::UnknownMembers(offsetof(Self, member))
#define CAPSTAN_UNKNOWN_MEMBERS_IN(boxed_member, member)          \
  Maker::template UnknownMembersIn<decltype(Self::boxed_member)>( \
      offsetof(Self, boxed_member),                               \
      offsetof(::capstan::internal::ValueOf<decltype(Self::boxed_member)>, member))

#define CAPSTAN_INTERNAL_PASTE2(a, b) a##b
#define CAPSTAN_INTERNAL_PASTE(a, b) CAPSTAN_INTERNAL_PASTE2(a, b)
#define CAPSTAN_INTERNAL_STRIP(...) __VA_ARGS__

// The struct with the tables has a name that is unique per line and is in an anonymous namespace.
// Therefore two translation units, or plugins, cannot share it.
#define CAPSTAN_INTERNAL_DEFINE(T, Tables, resource_pointer, metadata, ...)              \
  namespace {                                                                            \
  struct Tables {                                                                        \
    using Self = T;                                                                      \
    using Maker = ::capstan::internal::DescriptorMaker;                                  \
    static constexpr ::capstan::FieldDescriptor kFields[] = {__VA_ARGS__};               \
    static constexpr ::capstan::TypeDescriptor kType = ::capstan::internal::MakeType<T>( \
        #T, kFields, sizeof(kFields) / sizeof(kFields[0]), resource_pointer, metadata);  \
  };                                                                                     \
  }                                                                                      \
  template <>                                                                            \
  const ::capstan::TypeDescriptor& capstan::DescriptorOf<T>() {                          \
    return Tables::kType;                                                                \
  }

#define CAPSTAN_DEFINE_TYPE(T, ...)                                                          \
  CAPSTAN_INTERNAL_DEFINE(T, CAPSTAN_INTERNAL_PASTE(CapstanTables, __COUNTER__), nullptr, 0, \
                          __VA_ARGS__)

#define CAPSTAN_DEFINE_RESOURCE(T, info, ...)                                            \
  CAPSTAN_INTERNAL_RESOURCE(T, info, CAPSTAN_INTERNAL_PASTE(CapstanTables, __COUNTER__), \
                            __VA_ARGS__)
#define CAPSTAN_INTERNAL_RESOURCE(T, info, Tables, ...)                                          \
  namespace {                                                                                    \
  constexpr ::capstan::ResourceInfo CAPSTAN_INTERNAL_PASTE(kInfoOf,                              \
                                                           Tables){CAPSTAN_INTERNAL_STRIP info}; \
  }                                                                                              \
  CAPSTAN_INTERNAL_DEFINE(T, Tables, &CAPSTAN_INTERNAL_PASTE(kInfoOf, Tables),                   \
                          offsetof(T, metadata), __VA_ARGS__)
