#pragma once

/// The resources that the server serves: one Resource per plural name in a group and version, and
/// the catalog of all resources. The built-in ones are rows of kinds.cpp. The others come from
/// definitions (definition.h).

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/runtime/mutex.h>

#include "apiserver/print/rows.h"
#include "apiserver/schema/facts.h"
#include "apiserver/schema/schema.h"
#include "apiserver/strategy/strategy.h"
#include "json/value.h"

namespace capstan::testing::server {

/// A group, version and kind.
struct KindName {
  std::string group;  ///< "" is the core group
  std::string version;
  std::string kind;
};

class Writer;
class Warnings;
struct ApiRequest;
struct ApiAnswer;

/// Serves a request that writes, or that reads an object of another kind than the resource's.
using RequestHandler = Result<ApiAnswer> (*)(Writer& writer, const ApiRequest& request,
                                             Warnings& warnings);

/// A subresource: a part of an object with its own path.
struct Subresource {
  std::string name;                ///< "scale"
  std::vector<std::string> verbs;  ///< create, get, patch, update
  KindName kind;                   ///< the kind of request and response bodies
  RequestHandler handler = nullptr;

  bool Serves(std::string_view verb) const;
};

/// Differences between kinds that their strategies do not cover.
struct KindTraits {
  bool create_on_update = false;         ///< a PUT can create the object
  bool unconditional_update = true;      ///< a write does not need a resourceVersion
  bool deletion_answers_object = false;  ///< a deletion returns the object, not a Status
  bool owns_dependents = true;           ///< dependents are collected after the owner is removed
  bool removes_endpoints = false;        ///< the Endpoints of its name are removed with it
  bool orphans_by_default = false;       ///< the default propagation policy is Orphan
  std::string_view etcd_folder = {};     ///< used in error texts; "" = the resource's name
  std::string_view deprecation = {};     ///< added as a Warning to each response
  RequestHandler create = nullptr;       ///< serves POST instead of the writer
};

/// Returns the verbs of resources whose objects are stored.
std::vector<std::string> StoredVerbs();

struct Resource {
  std::string group;  ///< "" is the core group
  std::string version;
  std::string name;  ///< "deployments"
  std::string singular;
  std::string kind;
  std::vector<std::string> short_names = {};
  std::vector<std::string> categories = {};
  bool namespaced = true;
  std::vector<std::string> verbs = StoredVerbs();
  std::vector<Subresource> subresources = {};
  const ObjectType* type = nullptr;
  StrategyPtr strategy = nullptr;
  KindTraits traits = {};
  /// The table of a built-in resource. If `print` is null, rows have name and creation time.
  std::vector<ColumnFacts> columns = {};
  RowPrinter print = nullptr;
  /// The storage of the objects. Resources that share objects (events of core and of events.k8s.io)
  /// have the same storage. Default: "<name>.<group>".
  std::string storage = {};
  /// The schema of a custom resource; null for built-in kinds.
  std::shared_ptr<const SchemaSet> own_schema = nullptr;
  /// The scale paths of a custom resource (".spec.replicas", ...). Built-in resources use the
  /// defaults.
  std::string scale_spec_path = ".spec.replicas";
  std::string scale_status_path = ".status.replicas";
  std::string scale_selector_path = {};
  /// A custom resource's additionalPrinterColumns.
  json::Value printer_columns = {};

  /// "apps/v1", "v1"
  std::string ApiVersion() const;
  /// "deployments.apps", "pods"
  std::string QualifiedName() const;
  /// Returns the subresource, or null if there is none.
  const Subresource* FindSubresource(std::string_view subresource) const;
  bool HasSubresource(std::string_view subresource) const { return FindSubresource(subresource); }
  /// Whether a subresource has the kind of the object, unlike e.g. a Scale.
  bool IsObjectPart(const Subresource& part) const {
    return part.kind.kind == kind && part.kind.version == version && part.kind.group == group;
  }
};

/// Threads: all methods may be called from any thread. Pointers to resources are valid for the
/// lifetime of the catalog.
class ResourceCatalog {
 public:
  /// Contains the built-in resources.
  ResourceCatalog();
  ~ResourceCatalog();

  const Resource* Find(std::string_view group, std::string_view version,
                       std::string_view name) const;
  const Resource* FindKind(std::string_view group, std::string_view version,
                           std::string_view kind) const;
  /// Returns all resources in the order in which they were added.
  std::vector<const Resource*> All() const;
  /// Adds a custom resource. Replaces an earlier one with the same group, version and name.
  void Add(Resource resource);
  void Remove(std::string_view group, std::string_view name);
  /// The caller locks this mutex while it updates the catalog from the stored definitions.
  Mutex& definitions() { return definitions_; }
  /// Increases with each Add and Remove. Callers use it to invalidate data that they derive from
  /// the catalog.
  int64_t Revision() const;

 private:
  Mutex definitions_;
  mutable Mutex mutex_;
  std::vector<std::shared_ptr<const Resource>> serving_ CAPSTAN_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<const Resource>> retired_ CAPSTAN_GUARDED_BY(mutex_);
  int64_t revision_ CAPSTAN_GUARDED_BY(mutex_) = 0;
};

/// Returns all built-in resources: the rows of kinds.cpp.
std::vector<Resource> BuiltInResources();

/// Returns the resources of a CustomResourceDefinition (apiextensions.k8s.io/v1), one per served
/// version. Errors: Invalid.
Result<std::vector<Resource>> ResourcesOfDefinition(const json::Value& definition);

}  // namespace capstan::testing::server
