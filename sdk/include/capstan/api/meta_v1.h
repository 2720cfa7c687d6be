#pragma once

/// meta/v1: the metadata of every object. The fields are those of
/// https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/. Fields that
/// controllers do not use (managedFields, selfLink, ...) are omitted by design: structs are
/// projections and are written back only as patches.

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <capstan/api/field_set.h>
#include <capstan/api/registration.h>
#include <capstan/export.h>
#include <capstan/runtime/status.h>

namespace capstan {

/// An object's namespace and name; the namespace of a cluster-scoped object is "".
struct NamespacedName {
  std::string namespace_;
  std::string name;

  /// "namespace/name", or "name" without a namespace.
  CAPSTAN_EXPORT std::string ToString() const;
  friend auto operator<=>(const NamespacedName&, const NamespacedName&) = default;  // NOLINT
};
CAPSTAN_EXPORT void AppendText(std::string& out, const NamespacedName& name);

namespace api {

struct OwnerReference {
  InternedString apiVersion;
  InternedString kind;
  InternedString name;
  Uid uid;
  std::optional<bool> controller;
  std::optional<bool> blockOwnerDeletion;
  friend bool operator==(const OwnerReference&, const OwnerReference&) = default;
};

struct ObjectMeta {
  std::string name;
  InternedString generateName;
  InternedString namespace_;
  Uid uid;
  std::string resourceVersion;
  int64_t generation = 0;
  Time creationTimestamp;
  Time deletionTimestamp;
  StringMap labels;
  StringMap annotations;
  List<OwnerReference> ownerReferences;
  List<InternedString> finalizers;
  /// Not a field of the API: the set of decoded fields. It contains all fields unless a cache keeps
  /// fewer. A field outside the set looks unset, and no merge patch contains it.
  FieldSet kept = {};
};

struct LabelSelectorRequirement {
  InternedString key;
  InternedString operator_;  ///< "In", "NotIn", "Exists", "DoesNotExist"
  List<InternedString> values;
  friend bool operator==(const LabelSelectorRequirement&,
                         const LabelSelectorRequirement&) = default;
};

struct LabelSelector {
  StringMap matchLabels;
  List<LabelSelectorRequirement> matchExpressions;
  friend bool operator==(const LabelSelector&, const LabelSelector&) = default;
};

/// The owner reference with `controller: true`, or null. (metav1.GetControllerOf)
CAPSTAN_EXPORT const OwnerReference* ControllerOf(const ObjectMeta& metadata);
/// Whether `metadata`'s controller has this UID. (metav1.IsControlledBy)
CAPSTAN_EXPORT bool IsControlledBy(const ObjectMeta& metadata, const Uid& owner);
inline NamespacedName NameOf(const ObjectMeta& metadata) {
  return {metadata.namespace_.str(), metadata.name};
}

}  // namespace api

/// A parsed label selector. (labels.Selector)
///
/// Threads: immutable.
class CAPSTAN_EXPORT Selector {
 public:
  /// Matches nothing. (labels.Nothing)
  Selector() = default;
  static Selector Everything();
  /// Converts a LabelSelector. A selector without requirements matches everything, as in apps/v1
  /// after validation. The error names the invalid requirement.
  static Result<Selector> From(const api::LabelSelector& selector);
  /// Parses the text form, e.g. "app=web,tier in (a, b),!canary".
  static Result<Selector> Parse(std::string_view text);

  bool Matches(const StringMap& labels) const;
  /// True if the selector has no requirements and matches every object.
  bool IsEverything() const;
  /// The text form, for `labelSelector` query parameters.
  std::string ToString() const;

 private:
  struct Requirement {
    enum class Operator : uint8_t { kIn, kNotIn, kExists, kDoesNotExist, kGreaterThan, kLessThan };
    std::string key;
    Operator op;
    List<InternedString> values;

    bool Matches(const StringMap& labels) const;
    std::string ToString() const;
  };
  struct Parser;

  Status Add(Requirement requirement);

  bool nothing_ = true;
  List<Requirement> requirements_;
};

}  // namespace capstan

CAPSTAN_API_TYPE(capstan::api::OwnerReference, CAPSTAN_FIELD_ALWAYS(apiVersion, 5),
                 CAPSTAN_FIELD_ALWAYS(kind, 1), CAPSTAN_FIELD_ALWAYS(name, 3),
                 CAPSTAN_FIELD_ALWAYS(uid, 4), CAPSTAN_FIELD(controller, 6),
                 CAPSTAN_FIELD(blockOwnerDeletion, 7))

template <>  // kept
inline constexpr size_t capstan::internal::kBytesOutsideApi<capstan::api::ObjectMeta> =
    sizeof(capstan::FieldSet);
CAPSTAN_API_TYPE(capstan::api::ObjectMeta, CAPSTAN_FIELD(name, 1), CAPSTAN_FIELD(generateName, 2),
                 CAPSTAN_FIELD_AS(namespace_, "namespace", 3), CAPSTAN_FIELD(uid, 5),
                 CAPSTAN_FIELD(resourceVersion, 6), CAPSTAN_FIELD(generation, 7),
                 CAPSTAN_FIELD(creationTimestamp, 8), CAPSTAN_FIELD(deletionTimestamp, 9),
                 CAPSTAN_FIELD_SHARED(labels, 11), CAPSTAN_FIELD_SHARED(annotations, 12),
                 CAPSTAN_FIELD_SHARED(ownerReferences, 13), CAPSTAN_FIELD(finalizers, 14))

CAPSTAN_API_TYPE(capstan::api::LabelSelectorRequirement, CAPSTAN_FIELD_ALWAYS(key, 1),
                 capstan::internal::WithFlags(CAPSTAN_FIELD_AS(operator_, "operator", 2),
                                              capstan::kAlwaysEncode),
                 CAPSTAN_FIELD(values, 3))

CAPSTAN_API_TYPE(capstan::api::LabelSelector, CAPSTAN_FIELD(matchLabels, 1),
                 CAPSTAN_FIELD(matchExpressions, 2))
