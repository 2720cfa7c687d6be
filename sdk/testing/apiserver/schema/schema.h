#pragma once

// Which fields kinds have, of what type, and how lists of them merge: what an OpenAPI schema says
// of a kind. Read from the facts of Kubernetes (facts.h) or from the schema of a custom resource,
// and never changed afterwards.
//
// Names for SchemaSet::Find: kinds by apiVersion and kind ("v1.Pod", "apps/v1.Deployment",
// "autoscaling/v1.Scale", "v1.DeleteOptions"); all types by package and name ("core/v1.PodSpec",
// "events/v1.EventSeries"), or by name alone ("PodSpec") where it is one package's, or core/v1's,
// meta/v1's or apps/v1's among others. A custom resource's set has its kind under the kind's name
// and inner objects under their paths ("Widget.spec").
//
// ApplySchemaDefaults fills in the defaults that the facts and descriptions.txt tell; what depends
// on more than the field itself is for Strategy::Default.

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
  kQuantity,  // a string or number; stored as the canonical string
  kIntOrString,
  kTime,       // RFC 3339, seconds
  kMicroTime,  // RFC 3339, microseconds
  kBytes,      // base64
  kAny,        // whatever JSON there is
  kObject,     // `object` says which
  kList,       // of `element`
  kMap,        // from string to `element`
};

struct ValueType {
  TypeKind kind = TypeKind::kAny;
  const ObjectType* object = nullptr;
  const ValueType* element = nullptr;
};

// Whether an object of the API has a field that nobody set, or set to its zero value (0, "", false,
// [], {}): what Go's pointers and omitempty make of it.
enum class Presence : uint8_t {
  kIfSet,      // as it was set, also to a zero value
  kIfNotZero,  // a zero value is left out
  kOrZero,     // always there, "" or 0 or {} when not set
  kOrNull,     // always there, null when not set
};

struct Field {
  std::string name;
  ValueType type;
  Presence presence = Presence::kIfSet;
  bool required = false;
  bool nullable = false;  // a null is kept (custom resources)
  std::optional<json::Value> default_value;
  std::vector<std::string> enumeration;  // empty = any
  std::string description;
  // In protobuf: {2, 1} is field 1 of the message in field 2, which JSON has no name for. Empty
  // where protobuf has no such field.
  std::vector<uint32_t> number;

  // Strategic merge patch: x-kubernetes-patch-strategy and -patch-merge-key.
  bool patch_merge = false;
  bool patch_replace = false;  // an object is not merged
  bool patch_retain_keys = false;
  std::string patch_merge_key;  // "" with patch_merge: a list of scalars, merged as a set

  // Server-side apply: x-kubernetes-list-type, -list-map-keys and -map-type.
  enum class Topology : uint8_t { kAtomic, kSet, kMap } list = Topology::kAtomic;
  std::vector<std::string> list_map_keys;
  bool atomic = false;  // an object or map that has one owner as a whole

  // Custom resources; nothing of it is set for built-in kinds.
  std::optional<double> minimum, maximum;
  std::string pattern;
};

struct ObjectType {
  std::string name;     // Go's name, "PodSpec"
  std::string package;  // of OpenAPI's names, "io.k8s.api.core.v1"; "" of custom resources
  std::string description;
  std::vector<Field> fields;  // sorted by name
  bool preserve_unknown = false;
  bool atomic = false;
  // Of a custom resource: types are for validation to check (Invalid, not BadRequest), and a value
  // that is there is left as it is.
  bool custom = false;

  const Field* Find(std::string_view field) const;
};

// Owns types. Those of a set may refer to types of another that outlives it.
class SchemaSet {
 public:
  SchemaSet() = default;
  SchemaSet(const SchemaSet&) = delete;
  SchemaSet& operator=(const SchemaSet&) = delete;

  // The types of all built-in kinds; made at the first call.
  static const SchemaSet& BuiltIn();
  // The structural schema of a custom resource's version (openAPIV3Schema), whose object is called
  // `kind`. apiVersion, kind and metadata are added. An error says which part cannot be.
  static Result<std::unique_ptr<SchemaSet>> OfCustomResource(const std::string& kind,
                                                             const json::Value& open_api_schema);

  const ObjectType* Find(std::string_view name) const;
  // In the order of their names.
  std::vector<const ObjectType*> All() const;

 private:
  friend class FactsReader;
  friend class CustomSchemaReader;
  std::map<std::string, std::unique_ptr<ObjectType>, std::less<>> types_;
  std::map<std::string, const ObjectType*, std::less<>> names_;  // other names of types
  std::deque<ValueType> elements_;  // what ValueType::element points to
};

}  // namespace capstan::testing::server
