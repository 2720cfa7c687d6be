#pragma once

// What the server serves: one Resource a plural name in a group and version, with the rules of its
// kind, and the catalog of them all.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/runtime/mutex.h>

#include "apiserver/schema/schema.h"
#include "apiserver/validation/field_error.h"
#include "json/value.h"

namespace capstan::testing::server {

// How a kind behaves beyond its schema. The base class is right for a kind without rules of its
// own. Stateless: one object serves all requests.
//
// The order of a create: PrepareForCreate, Default, Validate. Of an update: PrepareForUpdate,
// Default, Validate, ValidateUpdate. Names, namespaces, labels, uid, timestamps and generateName
// are the writer's own, for all kinds alike.
class ResourceRules {
 public:
  virtual ~ResourceRules() = default;

  // Clears what a client may not set (status), sets generation.
  virtual void PrepareForCreate(json::Value& object) const;
  // Takes from `before` what this request may not change (the status, or for the subresource
  // "status" all but the status), and counts generation up when the spec differs.
  virtual void PrepareForUpdate(json::Value& object, const json::Value& before,
                                std::string_view subresource) const;
  // Defaults that no table can say; schema defaults have been applied.
  virtual void Default(json::Value& object) const;
  virtual void Validate(const json::Value& object, FieldErrors& errors) const;
  // What is wrong with a new object that keeps all else from being looked at. Not of a dry run.
  virtual void ValidateFirst(const json::Value& object, FieldErrors& errors) const;
  // Whether metadata of a new object is looked at only where nothing else is wrong.
  virtual bool ValidatesMetadataLast() const { return false; }
  virtual void ValidateUpdate(const json::Value& object, const json::Value& before,
                              std::string_view subresource, FieldErrors& errors) const;
  // What is wrong with the name, which must be a DNS subdomain unless the kind says otherwise.
  virtual void ValidateName(std::string_view name, std::string_view field,
                            FieldErrors& errors) const;
  // Whether finalizers without a domain must be those that Kubernetes knows itself.
  virtual bool WantsQualifiedFinalizers() const { return false; }
  // Texts of Warning headers for a create.
  virtual std::vector<std::string> Warnings(const json::Value& object) const;
  // The same for an update. The base class has none.
  virtual std::vector<std::string> WarningsOfUpdate(const json::Value& object,
                                                    const json::Value& before) const;
  // The value of a field selector's field, or nullopt when the kind has no such selector.
  // "metadata.name" and "metadata.namespace" are asked of the base class.
  virtual std::optional<std::string> SelectableField(const json::Value& object,
                                                     std::string_view field) const;
  // Seconds that a deletion without gracePeriodSeconds leaves the object; 0 = at once.
  virtual int64_t DefaultGracePeriod(const json::Value& object) const;
  // Seconds that a deletion leaves the object when `asked` (or DefaultGracePeriod) were wished for:
  // an unscheduled pod goes at once. 0, the default, for all kinds but pods.
  virtual int64_t GracePeriod(const json::Value& object, int64_t asked) const;

 protected:
  // No client may change metadata.generation; a rule that counts it up does so after this.
  static void KeepGeneration(json::Value& object, const json::Value& before);
};

struct Resource {
  std::string group;  // "" is core
  std::string version;
  std::string name;  // "deployments"
  std::string singular;
  std::string kind;
  std::vector<std::string> short_names = {};
  std::vector<std::string> categories = {};
  bool namespaced = true;
  bool has_status = false;
  bool has_scale = false;
  const ObjectType* type = nullptr;
  std::shared_ptr<const ResourceRules> rules = nullptr;
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

// All built-in resources with their rules.
std::vector<Resource> BuiltInResources();

// The resource that a CustomResourceDefinition (apiextensions.k8s.io/v1) asks for, one a served
// version. Errors: Invalid.
Result<std::vector<Resource>> ResourcesOfDefinition(const json::Value& definition);

}  // namespace capstan::testing::server
