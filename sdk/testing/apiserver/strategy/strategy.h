#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/runtime/clock.h>

#include "apiserver/validation/field_error.h"
#include "json/value.h"

namespace capstan::testing::server {

// How a kind behaves beyond its schema. The base class is right for a kind without rules of its
// own. Stateless: one object serves all requests.
//
// The order of a create: PrepareForCreate, Default, Validate. Of an update: PrepareForUpdate,
// Default, Validate, ValidateUpdate. Names, namespaces, labels, uid, timestamps and generateName
// are the writer's own, for all kinds alike.
class Strategy {
 public:
  virtual ~Strategy() = default;

  // Records who asks for a new object, where the kind wants to know.
  virtual void RecordUser(json::Value& object, const std::string& name,
                          const std::vector<std::string>& groups) const;
  // Fills in times of an update that are the server's to know; before PrepareForUpdate.
  virtual void Stamp(json::Value& object, const json::Value& before, std::string_view subresource,
                     WallTime now) const;
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

// Whether `object` is being created: what is stored has a resourceVersion.
inline bool IsNew(const json::Value& object) {
  return object.Get("metadata", "resourceVersion").IsEmpty();
}

using StrategyPtr = std::shared_ptr<const Strategy>;

}  // namespace capstan::testing::server
