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

/// The behaviour of a kind beyond its schema. The base class serves kinds without special rules. A
/// strategy is stateless: one object serves all requests.
///
/// A create calls PrepareForCreate, Default, Validate. An update calls PrepareForUpdate, Default,
/// Validate, ValidateUpdate. The writer handles names, namespaces, labels, uid, timestamps and
/// generateName in the same way for all kinds.
class Strategy {
 public:
  virtual ~Strategy() = default;

  /// Records the user who creates an object, for kinds that store the user.
  virtual void RecordUser(json::Value& object, const std::string& name, const std::string& uid,
                          const std::vector<std::string>& groups) const;
  /// Sets the times of an update that the server determines. Called before PrepareForUpdate.
  virtual void Stamp(json::Value& object, const json::Value& before, std::string_view subresource,
                     WallTime now) const;
  /// Clears fields that a client may not set (status) and sets the generation.
  virtual void PrepareForCreate(json::Value& object) const;
  /// Restores from `before` the fields that this request may not change (the status, or for the
  /// subresource "status" everything except the status). Increases the generation if the spec
  /// differs.
  virtual void PrepareForUpdate(json::Value& object, const json::Value& before,
                                std::string_view subresource) const;
  /// Sets defaults that depend on other fields. The schema defaults are already set.
  virtual void Default(json::Value& object) const;
  virtual void Validate(const json::Value& object, FieldErrors& errors) const;
  /// Validates a new object before everything else. If there are errors, Validate is not called.
  /// Not called for a dry run.
  virtual void ValidateFirst(const json::Value& object, FieldErrors& errors) const;
  /// Whether the metadata of a new object is validated only if Validate found no errors.
  virtual bool ValidatesMetadataLast() const { return false; }
  virtual void ValidateUpdate(const json::Value& object, const json::Value& before,
                              std::string_view subresource, FieldErrors& errors) const;
  /// Returns why an admission plugin of the API rejects a valid object, or "". `before` is null for
  /// a create.
  virtual std::string Admit(const json::Value& object, const json::Value& before,
                            std::string_view subresource) const;
  /// Validates the name. By default it must be a DNS subdomain.
  virtual void ValidateName(std::string_view name, std::string_view field,
                            FieldErrors& errors) const;
  /// Whether finalizers without a domain must be ones that Kubernetes defines.
  virtual bool WantsQualifiedFinalizers() const { return false; }
  /// Returns the texts of Warning headers for a create.
  virtual std::vector<std::string> Warnings(const json::Value& object) const;
  /// Returns the texts of Warning headers for an update. The base class returns none.
  virtual std::vector<std::string> WarningsOfUpdate(const json::Value& object,
                                                    const json::Value& before) const;
  /// Returns the value of a field in a field selector, or nullopt if the kind does not support the
  /// field. The base class supports "metadata.name" and "metadata.namespace".
  virtual std::optional<std::string> SelectableField(const json::Value& object,
                                                     std::string_view field) const;
  /// The grace period, in seconds, of a deletion without gracePeriodSeconds; 0 = immediate
  /// deletion.
  virtual int64_t DefaultGracePeriod(const json::Value& object) const;
  /// The grace period, in seconds, of a deletion that asks for `asked` seconds (or
  /// DefaultGracePeriod): an unscheduled pod is deleted immediately. The default is 0, for all
  /// kinds except pods.
  virtual int64_t GracePeriod(const json::Value& object, int64_t asked) const;

 protected:
  /// Restores metadata.generation, which clients may not change. Rules that increase it run
  /// afterwards.
  static void KeepGeneration(json::Value& object, const json::Value& before);
};

/// Whether `object` is being created. Stored objects have a resourceVersion.
inline bool IsNew(const json::Value& object) {
  return object.Get("metadata", "resourceVersion").IsEmpty();
}

using StrategyPtr = std::shared_ptr<const Strategy>;

}  // namespace capstan::testing::server
