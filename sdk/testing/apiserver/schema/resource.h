#pragma once

// What the server serves: one Resource a plural name in a group and version, and the catalog of
// them all. The built-in ones are rows of kinds.cpp, others come from definitions (definition.h).

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

// What a group, version and kind are called together.
struct KindName {
  std::string group;  // "" is core
  std::string version;
  std::string kind;
};

class Writer;
class Warnings;
struct ApiRequest;
struct ApiAnswer;

// Serves a request that writes, or that reads what is no object of the resource's kind.
using RequestHandler = Result<ApiAnswer> (*)(Writer& writer, const ApiRequest& request,
                                             Warnings& warnings);

// A part of the objects of a resource that is asked for by itself.
struct Subresource {
  std::string name;                // "scale"
  std::vector<std::string> verbs;  // create, get, patch, update
  KindName kind;                   // of what is sent and answered
  RequestHandler handler = nullptr;

  bool Serves(std::string_view verb) const;
};

// How kinds differ beyond their strategy.
struct KindTraits {
  bool create_on_update = false;         // a PUT may create
  bool unconditional_update = true;      // a write needs no resourceVersion
  bool deletion_answers_object = false;  // and not with a Status
  bool owns_dependents = true;           // they are collected when their owner is gone
  bool orphans_by_default = false;       // unless a deletion says otherwise
  std::string_view etcd_folder = {};     // in error texts, where it is not the resource's name
  std::string_view deprecation = {};     // a Warning of each answer
  RequestHandler create = nullptr;       // serves POST in place of the writer
};

// What can be asked of resources whose objects are stored.
std::vector<std::string> StoredVerbs();

struct Resource {
  std::string group;  // "" is core
  std::string version;
  std::string name;  // "deployments"
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
  // The table of a built-in resource; null prints names and creation times.
  std::vector<ColumnFacts> columns = {};
  RowPrinter print = nullptr;
  // Where the objects are kept: resources that are views of the same objects (events of core and
  // of events.k8s.io) name the same. Default: "<name>.<group>".
  std::string storage = {};
  // Custom resources own their schema; null for built-in kinds.
  std::shared_ptr<const SchemaSet> own_schema = nullptr;
  // A custom resource's scale paths (".spec.replicas", ...); built-in ones have the usual.
  std::string scale_spec_path = ".spec.replicas";
  std::string scale_status_path = ".status.replicas";
  std::string scale_selector_path = {};
  // A custom resource's additionalPrinterColumns.
  json::Value printer_columns = {};

  // "apps/v1", "v1"
  std::string ApiVersion() const;
  // "deployments.apps", "pods"
  std::string QualifiedName() const;
  // Null when there is none.
  const Subresource* FindSubresource(std::string_view subresource) const;
  bool HasSubresource(std::string_view subresource) const { return FindSubresource(subresource); }
  // Whether a part is the object itself, and not a view of it as a Scale is.
  bool IsObjectPart(const Subresource& part) const {
    return part.kind.kind == kind && part.kind.version == version && part.kind.group == group;
  }
};

// Threads: all methods may be called from any thread. A Resource that was found stays where it is
// for as long as the catalog lives.
class ResourceCatalog {
 public:
  // The built-in resources.
  ResourceCatalog();
  ~ResourceCatalog();

  const Resource* Find(std::string_view group, std::string_view version,
                       std::string_view name) const;
  const Resource* FindKind(std::string_view group, std::string_view version,
                           std::string_view kind) const;
  // In the order they were added.
  std::vector<const Resource*> All() const;
  // Serves a custom resource. Replaces an earlier one of the same group, version and name.
  void Add(Resource resource);
  void Remove(std::string_view group, std::string_view name);
  // Held by whoever brings the catalog in line with the stored definitions.
  Mutex& definitions() { return definitions_; }
  // Counts up with each Add and Remove, for whoever caches what he makes of the catalog.
  int64_t Revision() const;

 private:
  Mutex definitions_;
  mutable Mutex mutex_;
  std::vector<std::shared_ptr<const Resource>> serving_ CAPSTAN_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<const Resource>> retired_ CAPSTAN_GUARDED_BY(mutex_);
  int64_t revision_ CAPSTAN_GUARDED_BY(mutex_) = 0;
};

// All built-in resources: the rows of kinds.cpp.
std::vector<Resource> BuiltInResources();

// The resource that a CustomResourceDefinition (apiextensions.k8s.io/v1) asks for, one a served
// version. Errors: Invalid.
Result<std::vector<Resource>> ResourcesOfDefinition(const json::Value& definition);

}  // namespace capstan::testing::server
