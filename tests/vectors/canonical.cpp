#include "canonical.h"

#include <algorithm>
#include <utility>

#include "renaming.h"

namespace capstan::vectors {
namespace {

using json::Member;
using json::Value;

// The time of a condition. A time that the sync set may have any value; an unchanged one may not.
Value TimeOrSet(const Value& time, const Value& before) {
  if (time.IsNull() || time == before) return time;
  const auto parsed = api::Time::Parse(time.AsString());
  return parsed && !parsed->IsZero() ? Value("<set>") : time;
}

const Value& ConditionOf(const Value& object, const std::string& type) {
  static const Value kNone;
  for (const Value& condition : object.Get("status", "conditions").items()) {
    if (condition.Get("type").AsString() == type) return condition;
  }
  return kNone;
}

// Converts the conditions to an object keyed by type.
void CanonicalizeConditions(Value& object, const Value& before) {
  if (!object.Get("status", "conditions").IsArray()) return;
  Value by_type = Value::Object();
  for (const Value& listed : object.Get("status", "conditions").items()) {
    const std::string& type = listed.Get("type").AsString();
    Value condition = listed;
    for (const char* time : {"lastUpdateTime", "lastTransitionTime"}) {
      const Value* set = listed.Find(time);
      if (set) condition.Set(time, TimeOrSet(*set, ConditionOf(before, type).Get(time)));
    }
    // A duplicate type must not be hidden by the first one.
    std::string key = type;
    while (by_type.Find(key)) key += " again";
    by_type.Set(key, std::move(condition));
  }
  object.Mutable("status", "conditions") = std::move(by_type);
}

// Numbers and flags that Go's API types hold without a pointer and omit when zero. For fields with
// a pointer, such as status.terminatingReplicas, zero differs from unset.
void DropZeros(Value& object) {
  constexpr const char* kOfStatus[] = {
      "replicas",          "updatedReplicas",     "readyReplicas",
      "availableReplicas", "unavailableReplicas", "fullyLabeledReplicas",
      "observedGeneration"};
  constexpr const char* kOfSpec[] = {"minReadySeconds", "paused"};
  for (const char* name : kOfStatus) {
    if (object.Get("status", name).IsEmpty()) object.Mutable("status").Erase(name);
  }
  for (const char* name : kOfSpec) {
    if (object.Get("spec", name).IsEmpty()) object.Mutable("spec").Erase(name);
  }
}

// Removes null, {} and [], including values that become empty by that.
Value WithoutEmpty(const Value& value) {
  if (value.IsArray()) {
    Value result = Value::Array();
    for (const Value& item : value.items()) result.Append(WithoutEmpty(item));
    return result;
  }
  if (!value.IsObject()) return value;
  Value result = Value::Object();
  for (const Member& member : value.members()) {
    Value inner = WithoutEmpty(member.value);
    const bool container = inner.IsArray() || inner.IsObject();
    if (!inner.IsNull() && !(container && inner.IsEmpty())) result.Set(member.key, inner);
  }
  return result;
}

// The recording server did not update generations. A write of the spec, or of a Deployment's
// annotations, may raise the generation here.
bool RaisesGeneration(const Value& after, const Value& before) {
  return !(WithoutEmpty(after.Get("spec")) == WithoutEmpty(before.Get("spec"))) ||
         (after.Get("kind").AsString() == "Deployment" &&
          !(WithoutEmpty(after.Get("metadata", "annotations")) ==
            WithoutEmpty(before.Get("metadata", "annotations"))));
}

Value CanonicalWritten(Value object, const Value& before) {
  const bool raises = RaisesGeneration(object, before);
  Value& metadata = object.Mutable("metadata");
  metadata.Erase("resourceVersion");
  metadata.Erase("managedFields");
  if (raises) metadata.Set("generation", before.Get("metadata", "generation"));
  CanonicalizeConditions(object, before);
  DropZeros(object);
  return WithoutEmpty(object);
}

Value CanonicalCreated(Value object, bool is_pod) {
  object.Erase("apiVersion");
  object.Erase("kind");
  Value& metadata = object.Mutable("metadata");
  for (const char* name :
       {"resourceVersion", "managedFields", "uid", "creationTimestamp", "generation"}) {
    metadata.Erase(name);
  }
  if (is_pod) object.Erase("status");  // written by the server
  CanonicalizeConditions(object, {});
  DropZeros(object);
  return WithoutEmpty(object);
}

void AddObjects(const char* list, const Objects& before, const Objects& after,
                const Renaming& renaming, CanonicalObjects& objects) {
  for (const auto& [name, object] : after) {
    const auto old = before.find(name);
    const bool existed = old != before.end();
    // The recording server deleted immediately what a real one deletes gracefully.
    const bool deleted = existed && old->second.Get("metadata", "deletionTimestamp").IsNull() &&
                         !object.Get("metadata", "deletionTimestamp").IsNull();
    if (deleted) continue;
    const Value canonical = existed ? CanonicalWritten(object, old->second)
                                    : CanonicalCreated(object, std::string_view(list) == "pods");
    objects[std::string(list) + "/" + renaming.Text(name.ToString())] = renaming.Texts(canonical);
  }
}

}  // namespace

Canonical CanonicalOutcome(const State& before, const Outcome& outcome) {
  const State& after = outcome.after;
  const Renaming renaming(before, after);
  Canonical canonical;
  AddObjects("deployments", before.deployments, after.deployments, renaming, canonical.objects);
  AddObjects("replicaSets", before.replica_sets, after.replica_sets, renaming, canonical.objects);
  AddObjects("pods", before.pods, after.pods, renaming, canonical.objects);
  for (const std::string& event : outcome.events) {
    canonical.events.push_back(renaming.Text(event));
  }
  std::sort(canonical.events.begin(), canonical.events.end());
  return canonical;
}

}  // namespace capstan::vectors
