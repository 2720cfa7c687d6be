#pragma once

/// Reads and writes the objects of resources in the store. Every write goes through the strategy of
/// its kind, and is retried if another write happened in between. The Writer translates HTTP
/// requests to these calls.
///
/// Threads: all methods may be called from any thread.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/runtime/runtime.h>

#include "apiserver/http/warnings.h"
#include "apiserver/schema/resource.h"
#include "apiserver/storage/store.h"

namespace capstan::testing::server {

struct Preconditions {
  std::optional<std::string> uid;
  std::optional<std::string> resource_version;
};

struct DeleteOptions {
  bool dry_run = false;
  std::optional<int64_t> grace_period_seconds;
  std::optional<bool> orphan_dependents;
  std::optional<std::string> propagation_policy;
  Preconditions preconditions;
};

/// The options of an update.
struct WriteTerms {
  std::string_view subresource = {};  ///< "" is the object itself
  bool dry_run = false;
  bool allow_create = false;  ///< the update creates a missing object
  bool by_apply = false;      ///< the transform has updated managedFields
  std::string uid = {};       ///< a precondition; "" = none
};

struct Written {
  json::Value object;  ///< in the form of the resource
  bool created = false;
};

struct Deleted {
  json::Value answer;    ///< the object or a Status, depending on the resource
  bool removed = false;  ///< the object is removed, not only marked
};

class Registry {
 public:
  /// If `validates` is false, objects are stored even if their strategy rejects them.
  Registry(Store& store, ResourceCatalog& catalog, Runtime& runtime, bool validates = true)
      : store_(store), catalog_(catalog), runtime_(runtime), validates_(validates) {}

  /// Creates an object. `object` must conform to the type of the resource. Create generates the
  /// name from generateName. A write that fails may also add warnings.
  Result<Written> Create(const Resource& resource, std::string_view namespace_, json::Value object,
                         bool dry_run, Warnings& warnings);

  /// Returns the wanted object for the present one, which is null if there is none. It may be
  /// called several times.
  using Transform = std::function<Result<json::Value>(const json::Value& before)>;
  Result<Written> Update(const Resource& resource, const NamespacedName& name,
                         const Transform& transform, const WriteTerms& terms, Warnings& warnings);
  /// Same as Update, but on the stored form and without the strategy of the kind. A failed
  /// precondition or missing object has the error of an update.
  Result<json::Value> Rewrite(const Resource& resource, const NamespacedName& name,
                              const Preconditions& preconditions, bool dry_run,
                              const Transform& transform);

  Result<Deleted> Delete(const Resource& resource, const NamespacedName& name,
                         const DeleteOptions& options);

  Store& store() { return store_; }
  ResourceCatalog& catalog() { return catalog_; }
  Runtime& runtime() { return runtime_; }

 private:
  struct Marked;

  Status Judge(const Resource& resource, const json::Value& object,
               const FieldErrors& errors) const;
  Status Admit(const Resource& resource, const json::Value& object, const json::Value& before,
               std::string_view subresource) const;
  Status PrepareNew(const Resource& resource, std::string_view namespace_, json::Value& object,
                    bool dry_run, Warnings& warnings) const;
  Status PrepareChanged(const Resource& resource, const NamespacedName& name, json::Value& object,
                        const json::Value& before, const WriteTerms& terms,
                        Warnings& warnings) const;
  std::optional<json::Value> Commit(const Resource& resource, const NamespacedName& name,
                                    const StoredObjectPtr& existing, json::Value object,
                                    bool dry_run);
  Status AlreadyThere(const Resource& resource, const NamespacedName& name, bool generated) const;
  Result<std::optional<Written>> CreateByUpdate(const Resource& resource,
                                                const NamespacedName& name, json::Value object,
                                                bool dry_run, Warnings& warnings);
  Result<Deleted> MarkNamespace(const Resource& resource, const NamespacedName& name,
                                const json::Value& present, DeleteOptions options);
  Result<Deleted> MarkDefinition(const Resource& resource, const NamespacedName& name,
                                 DeleteOptions options);
  Result<Marked> Mark(const Resource& resource, const json::Value& present,
                      const DeleteOptions& options) const;
  Result<Deleted> DeleteObject(const Resource& resource, const NamespacedName& name,
                               const DeleteOptions& options);
  // What else a write of `object` changes: the catalog follows the stored definitions, and the
  // Endpoints of a removed Service are removed.
  void Follow(const Resource& resource, const json::Value& object);

  Store& store_;
  ResourceCatalog& catalog_;
  Runtime& runtime_;
  const bool validates_;
};

/// Returns the API's error for a failed precondition.
Status CheckPreconditions(const Resource& resource, const NamespacedName& name,
                          const Preconditions& preconditions, const json::Value& object,
                          bool dry_run);
bool IsNamespaces(const Resource& resource);
bool IsPods(const Resource& resource);
bool IsDefinitions(const Resource& resource);

inline constexpr std::string_view kDefinitionFinalizer =
    "customresourcecleanup.apiextensions.k8s.io";

}  // namespace capstan::testing::server
