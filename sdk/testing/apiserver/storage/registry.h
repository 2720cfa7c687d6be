#pragma once

// Objects of a resource as the API keeps them in the store: every write goes through the strategy
// of its kind and is repeated until nobody else wrote in between. What requests ask for in HTTP's
// terms is the Writer's.
//
// Threads: all methods may be called from any thread.

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

// How an object is to be written.
struct WriteTerms {
  std::string_view subresource = {};  // "" is the object itself
  bool dry_run = false;
  bool allow_create = false;  // by an update
  bool by_apply = false;      // the transform has brought managedFields up to date
  std::string uid = {};       // a precondition, unless ""
};

struct Written {
  json::Value object;  // as the resource shows it
  bool created = false;
};

struct Deleted {
  json::Value answer;    // the object or a Status, as the API answers for this resource
  bool removed = false;  // it is gone, not only marked
};

class Registry {
 public:
  // Unless it validates, objects are stored whatever their strategy says of them.
  Registry(Store& store, ResourceCatalog& catalog, Runtime& runtime, bool validates = true)
      : store_(store), catalog_(catalog), runtime_(runtime), validates_(validates) {}

  // `object` is conformed to the resource's type. Names are generated here. Writes that fail may
  // have warned too.
  Result<Written> Create(const Resource& resource, std::string_view namespace_, json::Value object,
                         bool dry_run, Warnings& warnings);

  // Makes the wanted object of the present one (null when there is none); may be called again.
  using Transform = std::function<Result<json::Value>(const json::Value& before)>;
  Result<Written> Update(const Resource& resource, const NamespacedName& name,
                         const Transform& transform, const WriteTerms& terms, Warnings& warnings);
  // The same without the strategy of the kind, on the stored form. Errors of preconditions and of
  // absence are those of an update.
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
  // After a write of `object`: the catalog serves what the stored definitions say.
  void Follow(const Resource& resource, const json::Value& object);

  Store& store_;
  ResourceCatalog& catalog_;
  Runtime& runtime_;
  const bool validates_;
};

// The failed preconditions of a write, as the API tells of them.
Status CheckPreconditions(const Resource& resource, const NamespacedName& name,
                          const Preconditions& preconditions, const json::Value& object);
bool IsNamespaces(const Resource& resource);
bool IsPods(const Resource& resource);
bool IsDefinitions(const Resource& resource);

inline constexpr std::string_view kDefinitionFinalizer =
    "customresourcecleanup.apiextensions.k8s.io";

}  // namespace capstan::testing::server
