#pragma once

/// The schemas of kinds: their fields, the types of the fields, and how lists merge. Schemas are
/// read from the facts of Kubernetes (facts.h) or from the schema of a custom resource. They are
/// immutable afterwards.
///
/// SchemaSet::Find accepts these names:
/// - kinds by apiVersion and kind: "v1.Pod", "apps/v1.Deployment", "autoscaling/v1.Scale",
///   "v1.DeleteOptions";
/// - all types by package and name: "core/v1.PodSpec", "events/v1.EventSeries";
/// - types by name alone ("PodSpec"), if only one package defines the name, or else if core/v1,
///   meta/v1 or apps/v1 does;
/// - in the set of a custom resource, its kind by the name of the kind, and inner objects by their
///   paths ("Widget.spec").
///
/// ApplySchemaDefaults applies the defaults from the facts and from descriptions.txt. Defaults that
/// depend on other fields belong to Strategy::Default.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/runtime/status.h>

#include "json/value.h"

namespace capstan::testing::server {

struct ObjectType;

enum class TypeKind : uint8_t {
  kString,
  kBool,
  kInt32,
  kInt64,
  kDouble,
  kQuantity,  ///< a string or number; stored as the canonical string
  kIntOrString,
  kTime,       ///< RFC 3339, seconds
  kMicroTime,  ///< RFC 3339, microseconds
  kBytes,      ///< base64
  kAny,        ///< any JSON value
  kObject,     ///< of type `object`
  kList,       ///< of `element`
  kMap,        ///< from string to `element`
};

struct ValueType {
  TypeKind kind = TypeKind::kAny;
  const ObjectType* object = nullptr;
  const ValueType* element = nullptr;
};

/// How an object of the API shows a field that is not set, or is set to its zero value (0, "",
/// false, [], {}). Models Go's pointers and omitempty.
enum class Presence : uint8_t {
  kIfSet,      ///< present if set, even to a zero value
  kIfNotZero,  ///< present if not the zero value
  kOrZero,     ///< always present; "" or 0 or {} if not set
  kOrNull,     ///< always present; null if not set
};

struct Field {
  std::string name;
  ValueType type;
  Presence presence = Presence::kIfSet;
  bool required = false;
  bool nullable = false;  ///< a null is kept (custom resources only)
  std::optional<json::Value> default_value;
  std::vector<std::string> enumeration;  ///< empty = any
  std::string description;
  /// The path of field numbers in protobuf: {2, 1} is field 1 of the message in field 2, where JSON
  /// has no name for that message. Empty if protobuf has no such field.
  std::vector<uint32_t> number;

  /// Strategic merge patch: x-kubernetes-patch-strategy and -patch-merge-key.
  bool patch_merge = false;
  bool patch_replace = false;  ///< an object is replaced, not merged
  bool patch_retain_keys = false;
  std::string patch_merge_key;  ///< "" with patch_merge: a list of scalars, merged as a set

  /// Server-side apply: x-kubernetes-list-type, -list-map-keys and -map-type.
  enum class Topology : uint8_t { kAtomic, kSet, kMap } list = Topology::kAtomic;
  std::vector<std::string> list_map_keys;
  bool atomic = false;  ///< an object or map with one owner as a whole

  /// For custom resources only; not set for built-in kinds.
  std::optional<double> minimum, maximum;
  std::string pattern;
};

struct ObjectType {
  std::string name;     ///< the Go name: "PodSpec"
  std::string package;  ///< the OpenAPI package: "io.k8s.api.core.v1"; "" for custom resources
  std::string description;
  std::vector<Field> fields;  ///< sorted by name
  bool preserve_unknown = false;
  bool atomic = false;
  /// For types of custom resources. Validation checks the types of values (Invalid, not
  /// BadRequest), and present values are not changed.
  bool custom = false;

  const Field* Find(std::string_view field) const;
};

/// Owns types. The types of a set may refer to types of another set, which must outlive it.
class SchemaSet {
 public:
  SchemaSet() = default;
  SchemaSet(const SchemaSet&) = delete;
  SchemaSet& operator=(const SchemaSet&) = delete;

  /// Returns the types of all built-in kinds. They are created at the first call.
  static const SchemaSet& BuiltIn();
  /// Reads the structural schema (openAPIV3Schema) of a version of a custom resource. `kind` is the
  /// name of its object type. apiVersion, kind and metadata are added. The error names the invalid
  /// part.
  static Result<std::unique_ptr<SchemaSet>> OfCustomResource(const std::string& kind,
                                                             const json::Value& open_api_schema);

  const ObjectType* Find(std::string_view name) const;
  /// Returns all types, sorted by name.
  std::vector<const ObjectType*> All() const;

 private:
  friend class FactsReader;
  friend class CustomSchemaReader;
  std::map<std::string, std::unique_ptr<ObjectType>, std::less<>> types_;
  std::map<std::string, const ObjectType*, std::less<>> names_;  // other names of types
  std::deque<ValueType> elements_;                               // targets of ValueType::element
};

}  // namespace capstan::testing::server
