#pragma once

// Which fields the served kinds have, of what type, and how lists of them merge: what an OpenAPI
// schema says of a kind. Read from a text table (schema_text.h) or from the schema of a custom
// resource, and never changed afterwards.
//
// Names for SchemaSet::Find: kinds and their lists of options by apiVersion and kind ("v1.Pod",
// "apps/v1.Deployment", "events.k8s.io/v1.Event",
// "apiextensions.k8s.io/v1.CustomResourceDefinition", "autoscaling/v1.Scale", "policy/v1.Eviction",
// "v1.Binding", "v1.Status", "v1.DeleteOptions"); what they are made of by Go's name alone
// ("PodSpec", "ObjectMeta"; but "events.k8s.io/v1.EventSeries", as core/v1 has an EventSeries too).
// A custom resource's set has its kind under the kind's name and inner objects under their paths
// ("Widget.spec").
//
// What the built-in table defaults (ApplySchemaDefaults):
//   pod specs: dnsPolicy, restartPolicy, schedulerName, securityContext,
//     terminationGracePeriodSeconds; containers of all sorts: terminationMessagePath and -Policy;
//     port protocol; probes' four numbers; httpGet path and scheme; grpc service; fieldRef
//     apiVersion; volumes: defaultMode, hostPath type, token expirationSeconds, claim template
//     volumeMode, iscsi, rbd, azureDisk and scaleIO
//   Deployment: replicas, revisionHistoryLimit, progressDeadlineSeconds, strategy.type, both
//     figures of a rollingUpdate that is there; ReplicaSet: replicas
//   Service: type, sessionAffinity, port protocol; Secret: type; Namespace: status.phase;
//     CustomResourceDefinition: spec.conversion
// All else is for ResourceRules::Default: imagePullPolicy, requests from limits,
// enableServiceLinks, strategy.rollingUpdate, a volume without a source, a service's targetPort,
// policies and addresses, a namespace's label, a node's allocatable, ...

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

  // Strategic merge patch: x-kubernetes-patch-strategy and -patch-merge-key.
  bool patch_merge = false;
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
  std::string name;  // Go's name, "PodSpec"
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
  friend class SchemaReader;
  friend class CustomSchemaReader;
  std::map<std::string, std::unique_ptr<ObjectType>, std::less<>> types_;
  std::deque<ValueType> elements_;  // what ValueType::element points to
};

}  // namespace capstan::testing::server
