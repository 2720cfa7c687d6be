#include "apiserver/storage/registry.h"

#include <algorithm>
#include <array>
#include <utility>

#include "apiserver/codec/decoding.h"
#include "apiserver/http/api_errors.h"
#include "apiserver/patch/apply.h"
#include "apiserver/schema/conversion.h"
#include "apiserver/schema/definition.h"
#include "apiserver/storage/system_fields.h"
#include "apiserver/validation/object_meta.h"

namespace capstan::testing::server {
namespace {

constexpr int kNameAttempts = 8;

// The etcd key of the object in a kube-apiserver, which some error texts contain. Dry runs do not
// reach etcd, whose keys have a prefix.
std::string StorageKey(const Resource& resource, const NamespacedName& name, bool dry_run) {
  std::string key = dry_run ? "/" : "/registry/";
  if (resource.own_schema) key += resource.group + "/";
  const std::string_view folder = resource.traits.etcd_folder;
  key += folder.empty() ? std::string_view(resource.name) : folder;
  if (resource.namespaced) key += "/" + name.namespace_;
  return key + "/" + name.name;
}

Status PreconditionError(const Resource& resource, const NamespacedName& name, bool dry_run,
                         std::string_view what, std::string_view wanted, std::string_view present) {
  std::string why =
      "StorageError: invalid object, Code: 4, Key: " + StorageKey(resource, name, dry_run) +
      ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ";
  why.append(what).append(" in precondition: ").append(wanted).append(", ");
  why.append(what).append(" in object meta: ").append(present);
  return ConflictError(resource, name.name, why);
}

// Whether an update removes the last finalizer of an object that only waited for its finalizers.
bool IsFinalized(const Resource& resource, const json::Value& after, const json::Value& before) {
  if (!IsBeingDeleted(before) || !after.Get("metadata", "finalizers").items().empty()) return false;
  if (IsNamespaces(resource) && !after.Get("spec", "finalizers").items().empty()) return false;
  return before.Get("metadata", "deletionGracePeriodSeconds").AsInteger() == 0;
}

// Sets the object's version to the present one, or returns why the update is rejected.
Status CheckVersion(const Resource& resource, const std::string& name, json::Value& object,
                    int64_t present) {
  const Result<uint64_t> version = VersionOf(object);
  if (!version.ok()) return version.status();
  if (*version == static_cast<uint64_t>(present)) return Status::Ok();
  if (*version != 0) return ConflictError(resource, name, kStaleObject);
  if (!resource.traits.unconditional_update) {
    FieldErrors errors;
    errors.Invalid("metadata.resourceVersion", 0, "must be specified for an update");
    return InvalidError(resource.group, resource.name, name, errors);
  }
  object.Mutable("metadata", "resourceVersion") = std::to_string(present);
  return Status::Ok();
}

// The body of a custom resource can have any kind and version.
Status CheckTypeMeta(const Resource& resource, const json::Value& object) {
  if (!resource.own_schema) return Status::Ok();
  const std::string& kind = object.Get("kind").AsString();
  const std::string& version = object.Get("apiVersion").AsString();
  FieldErrors errors;
  if (kind != resource.kind) errors.Invalid("kind", kind, "must be " + resource.kind);
  if (version != resource.ApiVersion()) {
    errors.Invalid("apiVersion", version, "must be " + resource.ApiVersion());
  }
  if (errors.empty()) return Status::Ok();
  const size_t slash = version.find('/');
  return InvalidError(slash == std::string::npos ? "" : version.substr(0, slash), kind,
                      object.Get("metadata", "name").AsString(), errors);
}

void ValidateNew(const Resource& resource, const json::Value& object, FieldErrors& errors) {
  const bool metadata_last = resource.strategy->ValidatesMetadataLast();
  if (metadata_last) resource.strategy->Validate(object, errors);
  if (metadata_last && !errors.empty()) return;
  ValidateObjectMeta(object.Get("metadata"), resource.namespaced, *resource.strategy, "metadata",
                     errors);
  if (!metadata_last) resource.strategy->Validate(object, errors);
}

}  // namespace

bool IsNamespaces(const Resource& resource) {
  return resource.name == "namespaces" && resource.group.empty();
}
bool IsPods(const Resource& resource) { return resource.name == "pods" && resource.group.empty(); }
bool IsDefinitions(const Resource& resource) {
  return resource.name == "customresourcedefinitions" && resource.group == "apiextensions.k8s.io";
}

Status CheckPreconditions(const Resource& resource, const NamespacedName& name,
                          const Preconditions& preconditions, const json::Value& object,
                          bool dry_run) {
  const json::Value& metadata = object.Get("metadata");
  const std::string& uid = metadata.Get("uid").AsString();
  if (preconditions.uid && *preconditions.uid != uid) {
    return PreconditionError(resource, name, dry_run, "UID", *preconditions.uid, uid);
  }
  const std::string& version = metadata.Get("resourceVersion").AsString();
  if (preconditions.resource_version && *preconditions.resource_version != version) {
    return PreconditionError(resource, name, dry_run, "ResourceVersion",
                             *preconditions.resource_version, version);
  }
  return Status::Ok();
}

Status Registry::Judge(const Resource& resource, const json::Value& object,
                       const FieldErrors& errors) const {
  if (errors.empty() || !validates_) return Status::Ok();
  return InvalidError(resource, object.Get("metadata", "name").AsString(), errors);
}

Status Registry::Admit(const Resource& resource, const json::Value& object,
                       const json::Value& before, std::string_view subresource) const {
  const std::string why =
      validates_ ? resource.strategy->Admit(object, before, subresource) : std::string();
  if (why.empty()) return Status::Ok();
  return ForbiddenError(resource, object.Get("metadata", "name").AsString(), why);
}

Status Registry::PrepareNew(const Resource& resource, std::string_view namespace_,
                            json::Value& object, bool dry_run, Warnings& warnings) const {
  if (Status status = EnsureNamespace(object, resource.namespaced ? namespace_ : "");
      !status.ok()) {
    return status;
  }
  if (Status status = CheckTypeMeta(resource, object); !status.ok()) return status;
  ApplySchemaDefaults(object, *resource.type);
  resource.strategy->PrepareForCreate(object);
  resource.strategy->Default(object);
  FieldErrors errors;
  if (!dry_run) resource.strategy->ValidateFirst(object, errors);
  if (errors.empty()) ValidateNew(resource, object, errors);
  if (Status status = Judge(resource, object, errors); !status.ok()) return status;
  warnings.Add(resource.strategy->Warnings(object));
  return Admit(resource, object, json::Value(), "");
}

Status Registry::AlreadyThere(const Resource& resource, const NamespacedName& name,
                              bool generated) const {
  Status status = AlreadyExistsError(resource, name.name);
  Status::Details details;
  details.reason = status.reason();
  details.http_code = status.http_code();
  details.message = status.message();
  details.group = resource.group;
  details.kind = resource.name;
  details.name = name.name;
  if (generated) {
    details.message += ", the server was not able to generate a unique name for the object";
    details.retry_after = std::chrono::seconds(1);
  }
  const StoredObjectPtr there = store_.Get(resource.storage, name);
  if (there && IsBeingDeleted(there->value())) {
    details.message = "object is being deleted: " + details.message;
  }
  return Status(std::move(details));
}

Result<Written> Registry::Create(const Resource& resource, std::string_view namespace_,
                                 json::Value object, bool dry_run, Warnings& warnings) {
  const std::string prefix = object.Get("metadata", "generateName").AsString();
  const bool generate = !prefix.empty() && object.Get("metadata", "name").AsString().empty();
  NamespacedName name;
  for (int attempt = 0; attempt < (generate ? kNameAttempts : 1); ++attempt) {
    Written written{.object = object};
    FillSystemFields(written.object, runtime_);
    if (generate) written.object.Mutable("metadata", "name") = GeneratedName(prefix, runtime_);
    if (Status status = PrepareNew(resource, namespace_, written.object, dry_run, warnings);
        !status.ok()) {
      return status;
    }
    const json::Value& metadata = written.object.Get("metadata");
    name = {metadata.Get("namespace").AsString(), metadata.Get("name").AsString()};
    written.created = true;
    if (dry_run) {
      if (store_.Get(resource.storage, name)) continue;
      return written;
    }
    if (const Result<uint64_t> version = VersionOf(written.object); version.ok() && *version != 0) {
      Status::Details details;
      details.http_code = 500;
      details.message = "resourceVersion should not be set on objects to be created";
      return Status(std::move(details));
    }
    const StoredObjectPtr stored =
        store_.Put(resource.storage, name, nullptr, ToStored(resource, std::move(written.object)));
    if (!stored) continue;
    Follow(resource, stored->value());
    written.object = FromStored(resource, stored->value());
    return written;
  }
  return AlreadyThere(resource, name, !prefix.empty());
}

Result<std::optional<Written>> Registry::CreateByUpdate(const Resource& resource,
                                                        const NamespacedName& name,
                                                        json::Value object, bool dry_run,
                                                        Warnings& warnings) {
  if (const Result<uint64_t> version = VersionOf(object); !version.ok()) return version.status();
  Written written{.object = std::move(object), .created = true};
  FillSystemFields(written.object, runtime_);
  if (Status status = PrepareNew(resource, name.namespace_, written.object, dry_run, warnings);
      !status.ok()) {
    return status;
  }
  json::Value& metadata = written.object.Mutable("metadata");
  for (const std::string_view field : {"deletionTimestamp", "resourceVersion", "selfLink"}) {
    metadata.Erase(field);
  }
  if (dry_run) return std::optional(std::move(written));
  const StoredObjectPtr stored =
      store_.Put(resource.storage, name, nullptr, ToStored(resource, std::move(written.object)));
  if (!stored) return std::optional<Written>();
  Follow(resource, stored->value());
  written.object = FromStored(resource, stored->value());
  return std::optional(std::move(written));
}

Status Registry::PrepareChanged(const Resource& resource, const NamespacedName& name,
                                json::Value& object, const json::Value& before,
                                const WriteTerms& terms, Warnings& warnings) const {
  if (Status status = EnsureNamespace(object, resource.namespaced ? name.namespace_ : "");
      !status.ok()) {
    return status;
  }
  if (Status status = CheckTypeMeta(resource, object); !status.ok()) return status;
  ApplySchemaDefaults(object, *resource.type);
  resource.strategy->Stamp(object, before, terms.subresource, runtime_.clock().Now());
  resource.strategy->PrepareForUpdate(object, before, terms.subresource);
  KeepSystemFields(object, before);
  resource.strategy->Default(object);
  FieldErrors errors;
  ValidateObjectMeta(object.Get("metadata"), resource.namespaced, *resource.strategy, "metadata",
                     errors);
  ValidateObjectMetaUpdate(object.Get("metadata"), before.Get("metadata"), "metadata", errors);
  if (terms.subresource != "status") resource.strategy->Validate(object, errors);
  resource.strategy->ValidateUpdate(object, before, terms.subresource, errors);
  if (Status status = Judge(resource, object, errors); !status.ok()) return status;
  if (terms.subresource.empty()) warnings.Add(resource.strategy->WarningsOfUpdate(object, before));
  if (!terms.by_apply && before.Get("metadata").Find("managedFields")) {
    DropLostOwnership(before, object, *resource.type);
  }
  return Admit(resource, object, before, terms.subresource);
}

// Returns nullopt if another write came first.
std::optional<json::Value> Registry::Commit(const Resource& resource, const NamespacedName& name,
                                            const StoredObjectPtr& existing, json::Value object,
                                            bool dry_run) {
  if (IsFinalized(resource, object, existing->value())) {
    if (dry_run) return object;
    // Watchers receive the stored object; the client receives the object it sent.
    if (!store_.Remove(resource.storage, name, existing, existing->value())) return std::nullopt;
    Follow(resource, existing->value());
    return object;
  }
  if (dry_run || object == existing->value()) return object;
  const StoredObjectPtr stored = store_.Put(resource.storage, name, existing, std::move(object));
  if (!stored) return std::nullopt;
  Follow(resource, stored->value());
  return stored->value();
}

Result<Written> Registry::Update(const Resource& resource, const NamespacedName& name,
                                 const Transform& transform, const WriteTerms& terms,
                                 Warnings& warnings) {
  const bool allow_create =
      terms.allow_create || (terms.subresource.empty() && resource.traits.create_on_update);
  Preconditions preconditions;
  if (!terms.uid.empty()) preconditions.uid = terms.uid;
  while (true) {
    const StoredObjectPtr existing = store_.Get(resource.storage, name);
    if (!existing && !allow_create) {
      // If an update can create, the precondition on the uid is compared with an empty object.
      Status status =
          resource.traits.create_on_update
              ? CheckPreconditions(resource, name, preconditions, json::Value(), terms.dry_run)
              : Status::Ok();
      return status.ok() ? NotFoundError(resource, name.name) : status;
    }
    const json::Value before = existing ? FromStored(resource, existing->value()) : json::Value();
    if (Status status = CheckPreconditions(resource, name, preconditions, before, terms.dry_run);
        !status.ok()) {
      return status;
    }
    Result<json::Value> object = transform(before);
    if (!object.ok()) return object.status();
    if (!existing) {
      Result<std::optional<Written>> created =
          CreateByUpdate(resource, name, *std::move(object), terms.dry_run, warnings);
      if (!created.ok()) return created.status();
      if (*created) return **std::move(created);
      continue;
    }
    if (Status status = CheckVersion(resource, name.name, *object, existing->version());
        !status.ok()) {
      return status;
    }
    Written written;
    if (Status status = PrepareChanged(resource, name, *object, before, terms, warnings);
        !status.ok()) {
      return status;
    }
    std::optional<json::Value> stored =
        Commit(resource, name, existing, ToStored(resource, *std::move(object)), terms.dry_run);
    if (!stored) continue;
    written.object = FromStored(resource, *stored);
    return written;
  }
}

Result<json::Value> Registry::Rewrite(const Resource& resource, const NamespacedName& name,
                                      const Preconditions& preconditions, bool dry_run,
                                      const Transform& transform) {
  while (true) {
    const StoredObjectPtr existing = store_.Get(resource.storage, name);
    if (!existing) return NotFoundError(resource, name.name);
    if (Status status =
            CheckPreconditions(resource, name, preconditions, existing->value(), dry_run);
        !status.ok()) {
      return status;
    }
    Result<json::Value> object = transform(existing->value());
    if (!object.ok()) return object.status();
    std::optional<json::Value> stored =
        Commit(resource, name, existing, *std::move(object), dry_run);
    if (stored) return *std::move(stored);
  }
}

void Registry::Follow(const Resource& resource, const json::Value& object) {
  if (resource.traits.removes_endpoints) {
    const json::Value& metadata = object.Get("metadata");
    const NamespacedName name{metadata.Get("namespace").AsString(),
                              metadata.Get("name").AsString()};
    const Resource* endpoints = catalog_.Find("", "v1", "endpoints");
    // A failure (there are no Endpoints) does not concern the client.
    if (endpoints && !store_.Get(resource.storage, name)) (void)Delete(*endpoints, name, {});
  }
  if (!IsDefinitions(resource)) return;
  // Two writers may arrive in another order than their writes, so use the stored definition.
  MutexLock lock(catalog_.definitions());
  const std::string& name = object.Get("metadata", "name").AsString();
  if (const StoredObjectPtr present = store_.Get(resource.storage, {"", name})) {
    ApplyDefinition(catalog_, present->value());
  } else {
    ForgetDefinition(catalog_, object);
  }
}

}  // namespace capstan::testing::server
