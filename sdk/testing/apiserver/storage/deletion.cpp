// Deletion: immediate, graceful, or after the last finalizer is removed.

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "apiserver/codec/decoding.h"
#include "apiserver/http/api_errors.h"
#include "apiserver/schema/conversion.h"
#include "apiserver/storage/registry.h"
#include "apiserver/storage/system_fields.h"

namespace capstan::testing::server {
namespace {

constexpr std::array<std::string_view, 3> kImmortalNamespaces = {"default", "kube-system",
                                                                 "kube-public"};

bool WantsOrphans(const Resource& resource, const json::Value& object,
                  const DeleteOptions& options) {
  if (options.orphan_dependents) return *options.orphan_dependents;
  if (options.propagation_policy) return *options.propagation_policy == "Orphan";
  if (HasFinalizer(object, kOrphanFinalizer)) return true;
  return resource.traits.orphans_by_default && !HasFinalizer(object, kForegroundFinalizer);
}

bool WantsForeground(const json::Value& object, const DeleteOptions& options) {
  if (options.orphan_dependents) return false;
  if (options.propagation_policy) return *options.propagation_policy == "Foreground";
  return HasFinalizer(object, kForegroundFinalizer) && !HasFinalizer(object, kOrphanFinalizer);
}

// For namespaces only, orphanDependents=false means foreground deletion.
bool WantsForegroundNamespace(const json::Value& object, const DeleteOptions& options) {
  if (options.orphan_dependents) return !*options.orphan_dependents;
  if (options.propagation_policy) return *options.propagation_policy == "Foreground";
  return HasFinalizer(object, kForegroundFinalizer);
}

void SetFinalizer(json::Value& object, std::string_view finalizer, bool wanted) {
  if (HasFinalizer(object, finalizer) == wanted) return;
  if (wanted) {
    object.Mutable("metadata", "finalizers").Append(finalizer);
  } else {
    EraseFinalizer(object, finalizer);
  }
}

void CountGenerationUp(json::Value& object) {
  const int64_t generation = object.Get("metadata", "generation").AsInteger();
  if (generation > 0) object.Mutable("metadata", "generation") = generation + 1;
}

void MarkAsDeleting(json::Value& object, WallTime now) {
  const std::optional<WallTime> present = TimeOf(object.Get("metadata", "deletionTimestamp"));
  if (!present) CountGenerationUp(object);
  json::Value& metadata = object.Mutable("metadata");
  if (!present || *present > now) metadata.Set("deletionTimestamp", TimeText(now));
  metadata.Set("deletionGracePeriodSeconds", 0);
}

// Precondition errors of a deletion name the kind. Those of the store name the resource.
Status CheckDeletePreconditions(const Resource& resource, const json::Value& object,
                                const Preconditions& preconditions) {
  Resource kind;
  if (!IsConverted(resource)) kind.group = resource.group;
  kind.name = resource.kind;
  const json::Value& metadata = object.Get("metadata");
  const std::string& name = metadata.Get("name").AsString();
  const std::string& uid = metadata.Get("uid").AsString();
  if (preconditions.uid && *preconditions.uid != uid) {
    return ConflictError(kind, name,
                         "the UID in the precondition (" + *preconditions.uid +
                             ") does not match the UID in record (" + uid +
                             "). The object might have been deleted and then recreated");
  }
  const std::string& version = metadata.Get("resourceVersion").AsString();
  if (preconditions.resource_version && *preconditions.resource_version != version) {
    return ConflictError(kind, name,
                         "the ResourceVersion in the precondition (" +
                             *preconditions.resource_version +
                             ") does not match the ResourceVersion in record (" + version +
                             "). The object might have been modified");
  }
  return Status::Ok();
}

// For namespaces and definitions, which check preconditions first.
Status CheckEarlyPreconditions(const Resource& resource, const json::Value& object,
                               const Preconditions& preconditions) {
  const json::Value& metadata = object.Get("metadata");
  const auto failed = [&](std::string_view what, const std::string& wanted,
                          const std::string& present) {
    std::string why = "Precondition failed: ";
    why.append(what).append(" in precondition: ").append(wanted).append(", ");
    why.append(what).append(" in object meta: ").append(present);
    return ConflictError(resource, metadata.Get("name").AsString(), why);
  };
  const std::string& uid = metadata.Get("uid").AsString();
  if (preconditions.uid && *preconditions.uid != uid) {
    return failed("UID", *preconditions.uid, uid);
  }
  const std::string& version = metadata.Get("resourceVersion").AsString();
  if (preconditions.resource_version && *preconditions.resource_version != version) {
    return failed("ResourceVersion", *preconditions.resource_version, version);
  }
  return Status::Ok();
}

json::Value AnswerOf(const Resource& resource, const json::Value& object) {
  if (resource.traits.deletion_answers_object) return object;
  const json::Value& metadata = object.Get("metadata");
  return SuccessObject(resource, metadata.Get("name").AsString(), metadata.Get("uid").AsString());
}

bool IsSameObject(const StoredObjectPtr& present, const StoredObject& before) {
  return present &&
         present->value().Get("metadata", "uid") == before.value().Get("metadata", "uid");
}

json::Value EmptyObject(const Resource& resource) {
  Result<Decoded> empty = Conform(json::Value::Object(), *resource.type, FieldValidation::kIgnore);
  json::Value object = empty.ok() ? std::move(empty->object) : json::Value::Object();
  object.Set("apiVersion", resource.ApiVersion());
  object.Set("kind", resource.kind);
  return object;
}

// Shortens the grace period of an object that is already being deleted.
void ShortenGracePeriod(json::Value& object, int64_t period, WallTime now) {
  json::Value& metadata = object.Mutable("metadata");
  const int64_t present = metadata.Get("deletionGracePeriodSeconds").AsInteger();
  const std::optional<WallTime> end = TimeOf(metadata.Get("deletionTimestamp"));
  WallTime new_end =
      end.value_or(now) - std::chrono::seconds(present) + std::chrono::seconds(period);
  if (new_end < now) {
    new_end = now;
    if (period != 0) period = 1;
  }
  metadata.Set("deletionTimestamp", TimeText(new_end));
  metadata.Set("deletionGracePeriodSeconds", period);
}

}  // namespace

// The result of marking an object for deletion.
struct Registry::Marked {
  json::Value object;
  bool changed = false;
  bool remove = false;         // the object can be removed
  bool released = false;       // the last finalizer is gone; this change is not stored
  bool has_no_effect = false;  // already being deleted; the request changes nothing
};

Result<Registry::Marked> Registry::Mark(const Resource& resource, const json::Value& present,
                                        const DeleteOptions& options) const {
  constexpr int64_t kLongest = 1LL << 31;  // keeps times printable
  Marked marked{.object = present};
  json::Value& object = marked.object;
  const WallTime now = runtime_.clock().Now();
  std::optional<int64_t> asked = options.grace_period_seconds;
  if (asked && *asked < 0) asked = 1;
  if (asked) asked = std::min(*asked, kLongest);

  bool graceful = false;
  int64_t period = 0;
  if (IsPods(resource) && IsBeingDeleted(object)) {
    const int64_t left = object.Get("metadata", "deletionGracePeriodSeconds").AsInteger();
    if (left != 0) {
      if (!asked || *asked >= left) {
        marked.has_no_effect = true;
        return marked;
      }
      ShortenGracePeriod(object, *asked, now);
      graceful = true;
      period = object.Get("metadata", "deletionGracePeriodSeconds").AsInteger();
    }
  } else if (IsPods(resource)) {
    period = resource.strategy->GracePeriod(
        object, asked.value_or(resource.strategy->DefaultGracePeriod(object)));
    period = period < 0 ? 1 : std::min(period, kLongest);
    json::Value& metadata = object.Mutable("metadata");
    metadata.Set("deletionTimestamp", TimeText(now + std::chrono::seconds(period)));
    metadata.Set("deletionGracePeriodSeconds", period);
    CountGenerationUp(object);
    graceful = true;
  }
  const bool was_held = !object.Get("metadata", "finalizers").items().empty();
  if (resource.traits.owns_dependents) {
    const bool orphans = WantsOrphans(resource, object, options);
    const bool foreground = WantsForeground(object, options);
    SetFinalizer(object, kOrphanFinalizer, orphans);
    SetFinalizer(object, kForegroundFinalizer, foreground);
  }
  const bool held = !object.Get("metadata", "finalizers").items().empty();
  if (!graceful && held) MarkAsDeleting(object, now);
  marked.changed = graceful || held;
  marked.remove = !held && period == 0;
  marked.released = was_held && !marked.changed;
  return marked;
}

Result<Deleted> Registry::DeleteObject(const Resource& resource, const NamespacedName& name,
                                       const DeleteOptions& options) {
  Preconditions preconditions = options.preconditions;
  StoredObjectPtr marked_last;  // the object that this request marked
  while (true) {
    StoredObjectPtr existing = store_.Get(resource.storage, name);
    if (marked_last && !IsSameObject(existing, *marked_last)) {
      // Another client (a kubelet) saw the mark and removed the object, which is not an error.
      return Deleted{AnswerOf(resource, marked_last->value()), true};
    }
    if (!existing) return NotFoundError(resource, name.name);
    if (Status status = CheckDeletePreconditions(resource, existing->value(), preconditions);
        !status.ok()) {
      return status;
    }
    const Result<Marked> marked = Mark(resource, existing->value(), options);
    if (!marked.ok()) return marked.status();
    if (marked->has_no_effect) return Deleted{AnswerOf(resource, existing->value())};
    json::Value last = marked->changed ? marked->object : existing->value();
    if (options.dry_run) {
      // An immediate deletion that does not change the object first has the usual response.
      if (marked->changed) return Deleted{FromStored(resource, last), marked->remove};
      // The API returns an empty object if it would have written the object before it removed it.
      if (marked->released) return Deleted{EmptyObject(resource), true};
      return Deleted{AnswerOf(resource, last), true};
    }
    if (marked->changed && !(last == existing->value())) {
      existing = store_.Put(resource.storage, name, existing, std::move(last));
      if (!existing) continue;
      // The write of this deletion must not fail its own precondition.
      if (preconditions.resource_version) {
        preconditions.resource_version = std::to_string(existing->version());
      }
      Follow(resource, existing->value());
      if (marked->remove) marked_last = existing;
    }
    if (!marked->remove) return Deleted{FromStored(resource, existing->value())};
    const StoredObjectPtr removed =
        store_.Remove(resource.storage, name, existing, existing->value());
    if (!removed) continue;
    Follow(resource, removed->value());
    return Deleted{AnswerOf(resource, removed->value()), true};
  }
}

Result<Deleted> Registry::MarkNamespace(const Resource& resource, const NamespacedName& name,
                                        const json::Value& present, DeleteOptions options) {
  options.preconditions.uid = present.Get("metadata", "uid").AsString();
  Result<json::Value> marked = Rewrite(
      resource, name, options.preconditions, options.dry_run,
      [&](const json::Value& before) -> Result<json::Value> {
        if (std::find(kImmortalNamespaces.begin(), kImmortalNamespaces.end(), name.name) !=
            kImmortalNamespaces.end()) {
          return ForbiddenError(resource, name.name, "this namespace may not be deleted");
        }
        json::Value object = before;
        if (!IsBeingDeleted(object)) {
          object.Mutable("metadata", "deletionTimestamp") = TimeText(runtime_.clock().Now());
        }
        object.Mutable("status", "phase") = "Terminating";
        const bool foreground = WantsForegroundNamespace(object, options);
        SetFinalizer(object, kOrphanFinalizer, WantsOrphans(resource, object, options));
        SetFinalizer(object, kForegroundFinalizer, foreground);
        return object;
      });
  if (!marked.ok()) return marked.status();
  return Deleted{*std::move(marked)};
}

Result<Deleted> Registry::MarkDefinition(const Resource& resource, const NamespacedName& name,
                                         DeleteOptions options) {
  const std::string now = TimeText(runtime_.clock().Now());
  Result<json::Value> marked =
      Rewrite(resource, name, options.preconditions, options.dry_run,
              [&](const json::Value& before) -> Result<json::Value> {
                json::Value object = before;
                if (!IsBeingDeleted(object)) object.Mutable("metadata", "deletionTimestamp") = now;
                SetFinalizer(object, kDefinitionFinalizer, true);
                object.Mutable("status", "conditions")
                    .Append(json::Value::Object(
                        {{"lastTransitionTime", now},
                         {"message",
                          "CustomResourceDefinition marked for deletion; CustomResource deletion "
                          "will begin soon"},
                         {"reason", "InstanceDeletionPending"},
                         {"status", "True"},
                         {"type", "Terminating"}}));
                return object;
              });
  if (!marked.ok()) return marked.status();
  return Deleted{*std::move(marked)};
}

Result<Deleted> Registry::Delete(const Resource& resource, const NamespacedName& name,
                                 const DeleteOptions& options) {
  if (!IsNamespaces(resource) && !IsDefinitions(resource)) {
    return DeleteObject(resource, name, options);
  }
  const StoredObjectPtr existing = store_.Get(resource.storage, name);
  if (!existing) return NotFoundError(resource, name.name);
  const json::Value& present = existing->value();
  if (Status status = CheckEarlyPreconditions(resource, present, options.preconditions);
      !status.ok()) {
    return status;
  }
  if (!IsBeingDeleted(present)) {
    return IsNamespaces(resource) ? MarkNamespace(resource, name, present, options)
                                  : MarkDefinition(resource, name, options);
  }
  if (IsNamespaces(resource) && !present.Get("spec", "finalizers").items().empty()) {
    return Deleted{present};
  }
  return DeleteObject(resource, name, options);
}

}  // namespace capstan::testing::server
