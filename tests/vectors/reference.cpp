#include "reference.h"

#include <algorithm>

namespace capstan::vectors {
namespace {

using json::Value;

bool HasController(const Value& object) {
  const Value::Items& owners = object.Get("metadata", "ownerReferences").items();
  return std::any_of(owners.begin(), owners.end(),
                     [](const Value& owner) { return owner.Get("controller").AsBool(); });
}

// No other owner took it in between: a controller that had not adopted it would not have written
// it.
bool HasLostAdoption(const Value& before, const Value& after) {
  const bool written =
      !(before.Get("spec") == after.Get("spec")) ||
      !(before.Get("metadata", "annotations") == after.Get("metadata", "annotations"));
  return written && !HasController(before) && !HasController(after);
}

Value ControllerReference(const Value& deployment) {
  const Value& metadata = deployment.Get("metadata");
  return Value::Object({{"apiVersion", "apps/v1"},
                        {"blockOwnerDeletion", true},
                        {"controller", true},
                        {"kind", "Deployment"},
                        {"name", metadata.Get("name")},
                        {"uid", metadata.Get("uid")}});
}

}  // namespace

Outcome ReferenceOutcome(const Vector& vector) {
  Outcome outcome{.after = vector.after, .events = vector.events};
  const auto owner = vector.before.deployments.find(vector.key);
  if (vector.controller != "deployment" || owner == vector.before.deployments.end()) {
    return outcome;
  }
  for (auto& [name, set] : outcome.after.replica_sets) {
    const auto before = vector.before.replica_sets.find(name);
    if (before == vector.before.replica_sets.end()) continue;
    if (!HasLostAdoption(before->second, set)) continue;
    set.Mutable("metadata", "ownerReferences").Append(ControllerReference(owner->second));
  }
  return outcome;
}

}  // namespace capstan::vectors
