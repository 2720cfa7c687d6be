#include "apiserver/strategy/pod_update.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

#include "apiserver/validation/names.h"
#include "apiserver/validation/pod_spec.h"

namespace capstan::testing::server {
namespace {

constexpr std::string_view kMutableFields =
    "pod updates may not change fields other than `spec.containers[*].image`,"
    "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only "
    "additions "
    "to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it "
    "was previously negative)";
constexpr std::string_view kMirror = "kubernetes.io/config.mirror";

// Returns false if the number of containers has changed.
bool ValidateSameContainers(const json::Value& spec, const json::Value& before,
                            std::string_view field, FieldErrors& errors) {
  if (spec.Get(field).items().size() == before.Get(field).items().size()) return true;
  errors.Forbidden("spec." + std::string(field), "pod updates may not add or remove containers");
  return false;
}

// Returns false if validation must stop.
bool ValidateActiveDeadline(const json::Value& spec, const json::Value& before,
                            FieldErrors& errors) {
  const std::string field = "spec.activeDeadlineSeconds";
  const json::Value& now = spec.Get("activeDeadlineSeconds");
  const json::Value& then = before.Get("activeDeadlineSeconds");
  if (now.IsNull()) {
    if (!then.IsNull()) {
      errors.Invalid(field, now, "must not update from a positive integer to nil value");
    }
    return true;
  }
  if (now.AsInteger() < 0 || now.AsInteger() > INT32_MAX) {
    errors.Invalid(field, now, BetweenInclusive(0, INT32_MAX));
    return false;
  }
  if (!then.IsNull() && then.AsInteger() < now.AsInteger()) {
    errors.Invalid(field, now, "must be less than or equal to previous value");
    return false;
  }
  return true;
}

json::Value WithoutSeconds(json::Value toleration) {
  toleration.Erase("tolerationSeconds");
  return toleration;
}

void ValidateTolerationsUnchanged(const json::Value& spec, const json::Value& before,
                                  FieldErrors& errors) {
  const json::Value& tolerations = spec.Get("tolerations");
  if (tolerations == before.Get("tolerations")) return;
  std::set<std::string> kept;
  for (const json::Value& one : tolerations.items()) {
    kept.insert(json::ToJson(WithoutSeconds(one)));
  }
  for (const json::Value& old : before.Get("tolerations").items()) {
    if (kept.contains(json::ToJson(WithoutSeconds(old)))) continue;
    errors.Forbidden("spec.tolerations",
                     "existing toleration can not be modified except its tolerationSeconds");
    return;
  }
}

void ValidateSchedulingGatesUnchanged(const json::Value& spec, const json::Value& before,
                                      FieldErrors& errors) {
  const auto& gates = spec.Get("schedulingGates").items();
  const auto& old = before.Get("schedulingGates").items();
  const FieldPath root("spec.schedulingGates");
  std::set<std::string_view> known;
  for (const json::Value& gate : old) known.insert(gate.Get("name").AsString());
  for (size_t i = 0; i < gates.size(); ++i) {
    const std::string& name = gates[i].Get("name").AsString();
    if (known.contains(name)) continue;
    const FieldPath at = root.Index(i);
    errors.Forbidden(at.At("name"),
                     "only deletion is allowed, but found new scheduling gate '" + name + "'");
  }
}

void Take(json::Value& object, const json::Value& from, std::string_view field) {
  const json::Value* value = from.Find(field);
  if (value) {
    object.Set(field, *value);
  } else {
    object.Erase(field);
  }
}

void TakeImages(json::Value& spec, const json::Value& before, std::string_view field) {
  const auto& old = before.Get(field).items();
  if (old.empty()) return;
  json::Value::Items& containers = spec.Mutable(field).MutableItems();
  for (size_t i = 0; i < containers.size(); ++i) Take(containers[i], old[i], "image");
}

// Returns `spec` with all mutable fields restored from `before`.
json::Value WithChangesUndone(json::Value spec, const json::Value& before) {
  TakeImages(spec, before, "containers");
  TakeImages(spec, before, "initContainers");
  for (const std::string_view field : {"activeDeadlineSeconds", "schedulingGates", "tolerations"}) {
    Take(spec, before, field);
  }
  if (before.Get("terminationGracePeriodSeconds").AsInteger() < 0 &&
      spec.Get("terminationGracePeriodSeconds").AsInteger() == 1) {
    Take(spec, before, "terminationGracePeriodSeconds");
  }
  // The scheduling constraints of a gated pod can still be narrowed.
  if (!before.Get("schedulingGates").items().empty()) {
    Take(spec, before, "nodeSelector");
    Take(spec, before, "affinity");
  }
  return spec;
}

// Prints the differing members, with one line for the old and one for the new value.
std::string Differences(const json::Value& before, const json::Value& after) {
  std::string text;
  const auto add = [&text](char sign, const json::Member& member) {
    text += '\n';
    text += sign;
    text += " \"" + member.key + "\": ";
    json::AppendJson(text, member.value);
  };
  for (const json::Member& old : before.members()) {
    const json::Value* now = after.Find(old.key);
    if (now && *now == old.value) continue;
    add('-', old);
    if (now) add('+', {old.key, *now});
  }
  for (const json::Member& now : after.members()) {
    if (!before.Find(now.key)) add('+', now);
  }
  return text;
}

void ValidateMirrorUnchanged(const json::Value& pod, const json::Value& before,
                             FieldErrors& errors) {
  const json::Value* now = pod.Get("metadata", "annotations").Find(kMirror);
  const json::Value* then = before.Get("metadata", "annotations").Find(kMirror);
  const std::string field = "metadata.annotations[" + std::string(kMirror) + "]";
  if (then && (!now || !(*now == *then))) {
    errors.Forbidden(field, "may not remove or update mirror pod annotation");
  } else if (now && !then) {
    errors.Forbidden(field, "may not add mirror pod annotation");
  }
}

bool Restarts(const json::Value& spec, std::string_view list, std::string_view name,
              int64_t exit_code) {
  std::string_view policy = spec.Get("restartPolicy").AsString();
  bool found = false;
  for (const json::Value& container : spec.Get(list).items()) {
    if (container.Get("name").AsString() != name) continue;
    found = true;
    const std::string& own = container.Get("restartPolicy").AsString();
    if (!own.empty()) policy = own;
  }
  if (!found) return false;
  return policy == "OnFailure" ? exit_code != 0 : policy != "Never";
}

// A container that terminated finally must stay terminated.
void ValidateContainerStates(const json::Value& pod, const json::Value& before,
                             std::string_view statuses, std::string_view containers,
                             FieldErrors& errors) {
  const auto& old = before.Get("status").Get(statuses).items();
  const auto& now = pod.Get("status").Get(statuses).items();
  const FieldPath root("status");
  const FieldPath list = root.Child(statuses);
  for (size_t i = 0; i < old.size(); ++i) {
    const json::Value& ended = old[i].Get("state", "terminated");
    if (ended.IsNull()) continue;
    const std::string& name = old[i].Get("name").AsString();
    const auto status = std::find_if(now.begin(), now.end(), [&name](const json::Value& one) {
      return one.Get("name").AsString() == name && one.Get("state", "terminated").IsNull();
    });
    if (status == now.end()) continue;
    if (Restarts(before.Get("spec"), containers, name, ended.Get("exitCode").AsInteger())) continue;
    const FieldPath at = list.Index(i);
    errors.Forbidden(at.At("state"), "may not be transitioned to non-terminated state");
  }
}

void ValidateConditions(const json::Value& conditions, FieldErrors& errors) {
  const FieldPath root("status.conditions");
  for (size_t i = 0; i < conditions.items().size(); ++i) {
    const std::string& type = conditions.items()[i].Get("type").AsString();
    if (type == "PodScheduled" || type == "Ready" || type == "Initialized") continue;
    const FieldPath at = root.Index(i);
    AddFaults(FaultsOfQualifiedName(type), at.Child("Type"), type, errors);
  }
}

// Validates podIPs or hostIPs.
void ValidateAddresses(const json::Value& status, std::string_view field, FieldErrors& errors) {
  const auto& addresses = status.Get(field).items();
  const FieldPath root("status");
  const FieldPath list = root.Child(field);
  for (size_t i = 0; i < addresses.size(); ++i) {
    const std::string& address = addresses[i].Get("ip").AsString();
    AddFaults(FaultsOfIp(address), list.Index(i), address, errors);
  }
}

}  // namespace

void ValidatePodUpdate(const json::Value& pod, const json::Value& before, FieldErrors& errors) {
  ValidateMirrorUnchanged(pod, before, errors);
  const json::Value& spec = pod.Get("spec");
  const json::Value& old = before.Get("spec");
  if (spec == old) return;
  if (!ValidateSameContainers(spec, old, "containers", errors) ||
      !ValidateSameContainers(spec, old, "initContainers", errors)) {
    return;
  }
  if (!ValidateActiveDeadline(spec, old, errors)) return;
  ValidateTolerationsUnchanged(spec, old, errors);
  ValidateSchedulingGatesUnchanged(spec, old, errors);
  const json::Value munged = WithChangesUndone(spec, old);
  if (munged == old) return;
  errors.Forbidden("spec", std::string(kMutableFields) + Differences(old, munged) + "\n");
}

void ValidatePodStatusUpdate(const json::Value& pod, const json::Value& before,
                             FieldErrors& errors) {
  ValidateMirrorUnchanged(pod, before, errors);
  const json::Value& status = pod.Get("status");
  ValidateConditions(status.Get("conditions"), errors);
  const std::string& nominated = status.Get("nominatedNodeName").AsString();
  if (!nominated.empty() && nominated != before.Get("status", "nominatedNodeName").AsString()) {
    const FieldPath at("status.nominatedNodeName");
    AddFaults(FaultsOfDnsSubdomain(nominated), at, nominated, errors);
    if (!before.Get("spec", "nodeName").AsString().empty()) {
      errors.Forbidden(at.Text(), "may not be set on pods that are already bound to a node");
    }
  }
  if (status.Get("observedGeneration").AsInteger() < 0) {
    errors.Invalid("status.observedGeneration", status.Get("observedGeneration"),
                   "must be a non-negative integer");
  }
  if (!(status.Get("qosClass") == before.Get("status", "qosClass"))) {
    errors.Invalid("status.qosClass", status.Get("qosClass"), std::string(kFieldImmutable));
  }
  ValidateContainerStates(pod, before, "containerStatuses", "containers", errors);
  ValidateContainerStates(pod, before, "initContainerStatuses", "initContainers", errors);
  ValidateAddresses(status, "podIPs", errors);
  ValidateAddresses(status, "hostIPs", errors);
}

}  // namespace capstan::testing::server
