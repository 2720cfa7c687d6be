#include "apiserver/validation/object_meta.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <capstan/runtime/format.h>

#include "apiserver/validation/names.h"
#include "base/text/ascii.h"

namespace capstan::testing::server {
namespace {

constexpr int64_t kLargestAnnotations = int64_t{256} * 1024;
constexpr size_t kLongestFieldManager = 128;
constexpr size_t kLongestSubresource = 256;
constexpr size_t kMostSurplusControllers = 16;
constexpr std::string_view kOrphan = "orphan";
constexpr std::string_view kForeground = "foregroundDeletion";

std::string PrintedOwner(const json::Value& owner) {
  return InOrder(owner, {"apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"});
}

std::string PrintedOwners(const json::Value& owners) {
  std::string text;
  for (const json::Value& owner : owners.items()) {
    text += text.empty() ? '[' : ',';
    text += PrintedOwner(owner);
  }
  return text + ']';
}

void ValidateOwnerReference(const json::Value& owner, const FieldPath& path, FieldErrors& errors) {
  const std::string& api_version = owner.Get("apiVersion").AsString();
  const std::string& kind = owner.Get("kind").AsString();
  const std::string& name = owner.Get("name").AsString();
  // "a/b/c" does not split into group and version.
  const bool unclear = std::count(api_version.begin(), api_version.end(), '/') > 1;
  if (api_version.empty() || unclear || api_version.back() == '/') {
    errors.Invalid(path.At("apiVersion"), api_version, "version must not be empty");
  }
  if (kind.empty()) errors.Invalid(path.At("kind"), kind, "must not be empty");
  if (name.empty()) errors.Invalid(path.At("name"), name, "must not be empty");
  if (owner.Get("uid").AsString().empty()) {
    errors.Invalid(path.At("uid"), "", "must not be empty");
  }
  if (api_version == "v1" && kind == "Event") {
    errors.Add({FieldError::Type::kInvalid, path.Text(), PrintedOwner(owner),
                "/v1, Kind=Event is disallowed from being an owner"});
  }
}

void ValidateOwnerReferences(const json::Value& owners, const FieldPath& path,
                             FieldErrors& errors) {
  std::string controller;
  size_t surplus = 0;
  for (const json::Value& owner : owners.items()) {
    ValidateOwnerReference(owner, path, errors);
    if (!owner.Get("controller").AsBool()) continue;
    std::string name = owner.Get("kind").AsString() + "/" + owner.Get("name").AsString();
    if (controller.empty()) {
      controller = std::move(name);
      continue;
    }
    // Each error prints all references, so the output would be quadratic.
    if (++surplus > kMostSurplusControllers) return;
    errors.Add({FieldError::Type::kInvalid, path.Text(), PrintedOwners(owners),
                Format("Only one reference can have Controller set to true. Found \"true\" in "
                       "references for {} and {}",
                       controller, name)});
  }
}

bool IsStandardFinalizer(std::string_view name) {
  return name == "kubernetes" || name == kOrphan || name == kForeground;
}

void ValidateFinalizerDomains(const json::Value& finalizers, const FieldPath& path,
                              FieldErrors& errors) {
  for (size_t i = 0; i < finalizers.items().size(); ++i) {
    const std::string& name = finalizers.items()[i].AsString();
    if (name.find('/') != std::string::npos || IsStandardFinalizer(name)) continue;
    errors.Invalid(path.Index(i).Text(), name,
                   "name is neither a standard finalizer name nor is it fully qualified");
  }
}

void ValidateFinalizers(const json::Value& finalizers, const FieldPath& path, FieldErrors& errors) {
  bool orphan = false;
  bool foreground = false;
  for (const json::Value& finalizer : finalizers.items()) {
    const std::string& name = finalizer.AsString();
    AddFaults(FaultsOfQualifiedName(name), path, name, errors);
    orphan |= name == kOrphan;
    foreground |= name == kForeground;
  }
  if (orphan && foreground) {
    errors.Invalid(path.Text(), finalizers,
                   "finalizer orphan and foregroundDeletion cannot be both set");
  }
}

void ValidateManagedFields(const json::Value& entries, const FieldPath& path, FieldErrors& errors) {
  for (size_t i = 0; i < entries.items().size(); ++i) {
    const json::Value& entry = entries.items()[i];
    const FieldPath at = path.Index(i);
    const std::string& operation = entry.Get("operation").AsString();
    if (operation != "Apply" && operation != "Update") {
      errors.Invalid(at.At("operation"), operation, "must be `Apply` or `Update`");
    }
    const std::string& fields_type = entry.Get("fieldsType").AsString();
    if (!fields_type.empty() && fields_type != "FieldsV1") {
      errors.Invalid(at.At("fieldsType"), fields_type, "must be `FieldsV1`");
    }
    if (entry.Get("manager").AsString().size() > kLongestFieldManager) {
      errors.TooLong(at.At("manager"), kLongestFieldManager);
    }
    if (entry.Get("subresource").AsString().size() > kLongestSubresource) {
      errors.TooLong(at.At("subresource"), kLongestSubresource);
    }
  }
}

void ValidateNamespace(const std::string& name, bool namespaced, const FieldPath& path,
                       FieldErrors& errors) {
  const FieldPath at = path.Child("namespace");
  if (!namespaced) {
    if (!name.empty()) errors.Forbidden(at.Text(), "not allowed on this type");
  } else if (name.empty()) {
    errors.Required(at.Text());
  } else {
    AddFaults(FaultsOfDnsLabel(name), at, name, errors);
  }
}

// Rejects new finalizers of an object that is being deleted.
void ValidateNoNewFinalizers(const json::Value& after, const json::Value& before,
                             const FieldPath& path, FieldErrors& errors) {
  std::set<std::string_view> added;
  for (const json::Value& finalizer : after.items()) added.insert(finalizer.AsString());
  for (const json::Value& finalizer : before.items()) added.erase(finalizer.AsString());
  if (added.empty()) return;
  std::string list;
  for (const std::string_view name : added) {
    if (!list.empty()) list += ", ";
    list += '"';
    list += name;
    list += '"';
  }
  errors.Forbidden(path.At("finalizers"),
                   "no new finalizers can be added if the object is being deleted, found new "
                   "finalizers []string{" +
                       list + "}");
}

}  // namespace

void ValidateLabels(const json::Value& labels, const FieldPath& path, FieldErrors& errors) {
  for (const json::Member& label : labels.members()) {
    AddFaults(FaultsOfQualifiedName(label.key), path, label.key, errors);
    const std::string& value = label.value.AsString();
    AddFaults(FaultsOfLabelValue(value), path, value, errors);
  }
}

void ValidateAnnotations(const json::Value& annotations, const FieldPath& path,
                         FieldErrors& errors) {
  int64_t size = 0;
  for (const json::Member& annotation : annotations.members()) {
    size += static_cast<int64_t>(annotation.key.size() + annotation.value.AsString().size());
    if (FaultsOfQualifiedName(annotation.key).empty()) continue;
    // Unlike label keys, annotation keys may have upper-case prefixes.
    AddFaults(FaultsOfQualifiedName(text::Lower(annotation.key)), path, annotation.key, errors);
  }
  if (size > kLargestAnnotations) errors.TooLong(path.Text(), kLargestAnnotations);
}

void ValidateObjectMeta(const json::Value& meta, bool namespaced, const Strategy& strategy,
                        std::string_view path, FieldErrors& errors) {
  const FieldPath at(path);
  const std::string& prefix = meta.Get("generateName").AsString();
  if (!prefix.empty()) {
    // The errors contain the prefix that the client sent, not the one that is validated.
    FieldErrors of_prefix;
    strategy.ValidateName(AsNamePrefix(prefix), at.At("generateName"), of_prefix);
    for (const FieldError& error : of_prefix.all()) {
      errors.Invalid(error.field, prefix, error.detail);
    }
  }
  const std::string& name = meta.Get("name").AsString();
  if (name.empty()) {
    errors.Required(at.At("name"), "name or generateName is required");
  } else {
    strategy.ValidateName(name, at.At("name"), errors);
  }
  ValidateNamespace(meta.Get("namespace").AsString(), namespaced, at, errors);
  ValidateNotNegative(meta, "generation", at, errors);
  ValidateLabels(meta.Get("labels"), at.Child("labels"), errors);
  ValidateAnnotations(meta.Get("annotations"), at.Child("annotations"), errors);
  ValidateOwnerReferences(meta.Get("ownerReferences"), at.Child("ownerReferences"), errors);
  ValidateFinalizers(meta.Get("finalizers"), at.Child("finalizers"), errors);
  ValidateManagedFields(meta.Get("managedFields"), at.Child("managedFields"), errors);
  if (strategy.WantsQualifiedFinalizers()) {
    ValidateFinalizerDomains(meta.Get("finalizers"), at.Child("finalizers"), errors);
  }
}

void ValidateObjectMetaUpdate(const json::Value& meta, const json::Value& before,
                              std::string_view path, FieldErrors& errors) {
  const FieldPath at(path);
  if (!before.Get("deletionTimestamp").IsNull()) {
    ValidateNoNewFinalizers(meta.Get("finalizers"), before.Get("finalizers"), at, errors);
  }
  if (meta.Get("resourceVersion").AsString().empty()) {
    errors.Invalid(at.At("resourceVersion"), "", "must be specified for an update");
  }
  const json::Value& generation = meta.Get("generation");
  if (generation.AsInteger() < before.Get("generation").AsInteger()) {
    errors.Invalid(at.At("generation"), generation.AsInteger(), "must not be decremented");
  }
  for (const std::string_view field : {"name", "namespace", "uid", "creationTimestamp",
                                       "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    const json::Value& value = meta.Get(field);
    if (value == before.Get(field)) continue;
    const bool text = field == "name" || field == "namespace" || field == "uid";
    errors.Invalid(at.At(field), text ? json::Value(value.AsString()) : value,
                   std::string(kFieldImmutable));
  }
  ValidateLabels(meta.Get("labels"), at.Child("labels"), errors);
  ValidateAnnotations(meta.Get("annotations"), at.Child("annotations"), errors);
  ValidateOwnerReferences(meta.Get("ownerReferences"), at.Child("ownerReferences"), errors);
  ValidateManagedFields(meta.Get("managedFields"), at.Child("managedFields"), errors);
}

}  // namespace capstan::testing::server
