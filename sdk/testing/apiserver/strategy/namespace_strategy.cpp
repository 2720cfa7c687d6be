#include <algorithm>
#include <string>

#include "apiserver/strategy/spec_status_strategy.h"
#include "apiserver/strategy/strategies.h"
#include "apiserver/validation/names.h"

namespace capstan::testing::server {
namespace {

constexpr std::string_view kNameLabel = "kubernetes.io/metadata.name";
constexpr std::string_view kFinalizer = "kubernetes";

bool IsStandardFinalizer(std::string_view name) {
  return name == kFinalizer || name == "orphan" || name == "foregroundDeletion";
}

class Namespaces : public SpecStatusStrategy {
 public:
  void PrepareForCreate(json::Value& object) const override {
    SpecStatusStrategy::PrepareForCreate(object);
    const json::Value kubernetes = kFinalizer;
    const auto& finalizers = object.Get("spec", "finalizers").items();
    if (std::find(finalizers.begin(), finalizers.end(), kubernetes) == finalizers.end()) {
      object.Mutable("spec", "finalizers").Append(kubernetes);
    }
  }

  void PrepareForUpdate(json::Value& object, const json::Value& before,
                        std::string_view subresource) const override {
    SpecStatusStrategy::PrepareForUpdate(object, before, subresource);
    if (subresource == "finalize" || subresource == "status") return;
    const json::Value& finalizers = before.Get("spec", "finalizers");
    if (object.Get("spec", "finalizers") == finalizers) return;
    Keep(object.Mutable("spec"), before.Get("spec"), "finalizers");
  }

  // Sets the label with which a namespace can be selected by name.
  void Default(json::Value& object) const override {
    const std::string name = object.Get("metadata", "name").AsString();
    if (name.empty() || object.Get("metadata", "labels").Get(kNameLabel).AsString() == name) return;
    object.Mutable("metadata", "labels", kNameLabel) = name;
  }

  void ValidateName(std::string_view name, std::string_view field,
                    FieldErrors& errors) const override {
    AddFaults(FaultsOfDnsLabel(name), FieldPath(field), name, errors);
  }

  void Validate(const json::Value& object, FieldErrors& errors) const override {
    const FieldPath path("spec.finalizers");
    for (const json::Value& finalizer : object.Get("spec", "finalizers").items()) {
      const std::string& name = finalizer.AsString();
      AddFaults(FaultsOfQualifiedName(name), path, name, errors);
      if (name.find('/') == std::string::npos && !IsStandardFinalizer(name)) {
        errors.Invalid(path.Text(), name,
                       "name is neither a standard finalizer name nor is it fully qualified");
      }
    }
  }

  void ValidateUpdate(const json::Value& object, const json::Value& /*before*/,
                      std::string_view subresource, FieldErrors& errors) const override {
    if (subresource != "status") return;
    const std::string& phase = object.Get("status", "phase").AsString();
    const bool deleting = !object.Get("metadata", "deletionTimestamp").IsNull();
    if (!deleting && phase != "Active") {
      errors.Invalid("status.Phase", phase, "may only be 'Active' if `deletionTimestamp` is empty");
    } else if (deleting && phase != "Terminating") {
      errors.Invalid("status.Phase", phase,
                     "may only be 'Terminating' if `deletionTimestamp` is not empty");
    }
  }

  std::optional<std::string> SelectableField(const json::Value& object,
                                             std::string_view field) const override {
    if (field == "status.phase") return object.Get("status", "phase").AsString();
    if (field == "metadata.namespace") return std::nullopt;
    return SpecStatusStrategy::SelectableField(object, field);
  }

 protected:
  json::Value InitialStatus(const json::Value& /*object*/) const override {
    return json::Value::Object({{"phase", "Active"}});
  }
  bool CountsGenerations() const override { return false; }
};

}  // namespace

StrategyPtr NamespaceStrategy() { return std::make_shared<Namespaces>(); }

}  // namespace capstan::testing::server
