#include <string>
#include <utility>

#include "apiserver/strategy/pod_defaults.h"
#include "apiserver/strategy/pod_update.h"
#include "apiserver/strategy/pod_warnings.h"
#include "apiserver/strategy/spec_status_strategy.h"
#include "apiserver/strategy/strategies.h"
#include "apiserver/validation/pod_spec.h"

namespace capstan::testing::server {
namespace {

class Pods : public SpecStatusStrategy {
 public:
  void PrepareForCreate(json::Value& object) const override;
  void PrepareForUpdate(json::Value& object, const json::Value& before,
                        std::string_view subresource) const override;
  void Default(json::Value& object) const override;
  void Validate(const json::Value& object, FieldErrors& errors) const override;
  void ValidateUpdate(const json::Value& object, const json::Value& before,
                      std::string_view subresource, FieldErrors& errors) const override;
  std::vector<std::string> Warnings(const json::Value& object) const override;
  std::optional<std::string> SelectableField(const json::Value& object,
                                             std::string_view field) const override;
  int64_t DefaultGracePeriod(const json::Value& object) const override;
  int64_t GracePeriod(const json::Value& object, int64_t asked) const override;

 protected:
  json::Value InitialStatus(const json::Value& object) const override;
  void KeepMetadata(json::Value& object, const json::Value& before) const override;
};

json::Value Pods::InitialStatus(const json::Value& object) const {
  json::Value status =
      json::Value::Object({{"phase", "Pending"}, {"qosClass", QosClassOf(object.Get("spec"))}});
  if (!object.Get("spec", "schedulingGates").items().empty()) {
    json::Value condition =
        json::Value::Object({{"lastProbeTime", json::Value()},
                             {"message", "Scheduling is blocked due to non-empty scheduling gates"},
                             {"reason", "SchedulingGated"},
                             {"status", "False"},
                             {"type", "PodScheduled"}});
    const json::Value& created = object.Get("metadata", "creationTimestamp");
    condition.Set("lastTransitionTime", created);
    status.Set("conditions", json::Value::Array({std::move(condition)}));
  }
  return status;
}

void Pods::KeepMetadata(json::Value& object, const json::Value& before) const {
  if (object.Get("metadata", "ownerReferences") == before.Get("metadata", "ownerReferences")) {
    return;
  }
  Keep(object.Mutable("metadata"), before.Get("metadata"), "ownerReferences");
}

// podIP takes precedence over podIPs, whose first entry it must be.
void MirrorAddress(json::Value& status) {
  const std::string address = status.Get("podIP").AsString();
  const auto& all = status.Get("podIPs").items();
  if (address.empty() || (!all.empty() && all.front().Get("ip").AsString() == address)) return;
  status.Set("podIPs", json::Value::Array({json::Value::Object({{"ip", address}})}));
}

void Pods::PrepareForCreate(json::Value& object) const {
  AdmitPriority(object.Mutable("spec"));
  SpecStatusStrategy::PrepareForCreate(object);
}

void Pods::PrepareForUpdate(json::Value& object, const json::Value& before,
                            std::string_view subresource) const {
  if (subresource.empty()) KeepPriority(object.Mutable("spec"), before.Get("spec"));
  SpecStatusStrategy::PrepareForUpdate(object, before, subresource);
  if (subresource != "status") return;
  MirrorAddress(object.Mutable("status"));
  for (const std::string_view field : {"qosClass", "observedGeneration"}) {
    const json::Value& old = before.Get("status").Get(field);
    if (object.Get("status").Get(field).IsEmpty() && !old.IsEmpty()) {
      object.Mutable("status", field) = old;
    }
  }
}

void Pods::Default(json::Value& object) const {
  json::Value& spec = object.Mutable("spec");
  DefaultPodSpec(spec);
  DefaultPodOnly(spec);
}

void Pods::Validate(const json::Value& object, FieldErrors& errors) const {
  const json::Value& spec = object.Get("spec");
  ValidatePodAnnotations(object.Get("metadata", "annotations"), spec,
                         FieldPath("metadata.annotations"), errors);
  const FieldPath path("spec");
  ValidatePodSpec(spec, PodSpecOf::kPod, path, errors);
  if (!spec.Get("ephemeralContainers").items().empty()) {
    errors.Forbidden(path.At("ephemeralContainers"), "cannot be set on create");
  }
  if (!spec.Get("nodeName").AsString().empty() && !spec.Get("schedulingGates").items().empty()) {
    errors.Forbidden(path.At("nodeName"),
                     "cannot be set until all schedulingGates have been cleared");
  }
}

void Pods::ValidateUpdate(const json::Value& object, const json::Value& before,
                          std::string_view subresource, FieldErrors& errors) const {
  if (subresource == "status") {
    ValidatePodStatusUpdate(object, before, errors);
  } else if (subresource.empty()) {
    ValidatePodUpdate(object, before, errors);
  }
}

std::vector<std::string> Pods::Warnings(const json::Value& object) const {
  std::vector<std::string> warnings;
  AddHostNameWarning(object, "the Pod's hostname", warnings);
  AddPodWarnings(object, "", warnings);
  return warnings;
}

std::optional<std::string> Pods::SelectableField(const json::Value& object,
                                                 std::string_view field) const {
  const json::Value& spec = object.Get("spec");
  const json::Value& status = object.Get("status");
  // The name before v1.
  if (field == "spec.host") field = "spec.nodeName";
  for (const std::string_view name :
       {"nodeName", "restartPolicy", "schedulerName", "serviceAccountName"}) {
    if (field.substr(0, 5) == "spec." && field.substr(5) == name) return spec.Get(name).AsString();
  }
  if (field == "spec.hostNetwork") return spec.Get("hostNetwork").AsBool() ? "true" : "false";
  if (field == "status.phase") return status.Get("phase").AsString();
  if (field == "status.nominatedNodeName") return status.Get("nominatedNodeName").AsString();
  if (field == "status.podIP") return status.Get("podIP").AsString();
  // A supported field that never matches.
  if (field == "status.podIPs") return "";
  return SpecStatusStrategy::SelectableField(object, field);
}

int64_t Pods::DefaultGracePeriod(const json::Value& object) const {
  return object.Get("spec", "terminationGracePeriodSeconds").AsInteger();
}

int64_t Pods::GracePeriod(const json::Value& object, int64_t asked) const {
  if (object.Get("spec", "nodeName").AsString().empty()) return 0;
  const std::string& phase = object.Get("status", "phase").AsString();
  if (phase == "Failed" || phase == "Succeeded") return 0;
  return asked < 0 ? 1 : asked;
}

class Bindings : public Strategy {
 public:
  void Validate(const json::Value& object, FieldErrors& errors) const override {
    const std::string& kind = object.Get("target", "kind").AsString();
    if (!kind.empty() && kind != "Node") {
      errors.NotSupported("target.kind", kind, {"Node", "<empty>"});
    }
    if (object.Get("target", "name").AsString().empty()) errors.Required("target.name");
  }
};

}  // namespace

StrategyPtr PodStrategy() { return std::make_shared<Pods>(); }
StrategyPtr BindingStrategy() { return std::make_shared<Bindings>(); }

}  // namespace capstan::testing::server
