// ApplyStrategicMergePatch (patch.h).

#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "apiserver/codec/go_text.h"
#include "apiserver/http/api_errors.h"
#include "apiserver/patch/element_order.h"
#include "apiserver/patch/patch.h"
#include "apiserver/patch/patch_directives.h"
#include "apiserver/patch/patch_lists.h"
#include "apiserver/storage/object_edit.h"

namespace capstan::testing::server {
namespace {

Status BadRetainKeys() { return BadRequestError("invalid patch format of retainKeys"); }

Status NoList(const json::Value& value) {
  return UnknownError("expected a []interface {}, but received a " +
                      std::string(GoTypeName(value)));
}

// Converts numbers like 1.0 to integers, as the API does when it converts a patched object.
void MakeIntegers(json::Value& value) {
  constexpr double kExact = 9007199254740992;
  if (value.kind() == json::Value::Kind::kDouble) {
    const double number = value.AsDouble();
    if (number == std::floor(number) && std::abs(number) < kExact) value = value.AsInteger();
  } else if (value.IsArray()) {
    for (json::Value& item : value.MutableItems()) MakeIntegers(item);
  } else if (value.IsObject()) {
    for (json::Member& member : value.MutableMembers()) MakeIntegers(member.value);
  }
}

bool HasDouble(const json::Value& value) {
  if (value.kind() == json::Value::Kind::kDouble) return true;
  for (const json::Value& item : value.items()) {
    if (HasDouble(item)) return true;
  }
  for (const json::Member& member : value.members()) {
    if (HasDouble(member.value)) return true;
  }
  return false;
}

// How a list or map is merged.
struct MergeStrategy {
  const ValueType* type = nullptr;  // type of the value; null = unknown
  bool merge = false;
  std::string merge_key;
  bool replace = false;  // for a map: replace it, do not merge

  const ValueType* Element() const { return type ? type->element : nullptr; }
};

MergeStrategy StrategyOf(const ValueType* type, std::string_view key) {
  if (!type) return {};
  if (type->kind == TypeKind::kMap) return {type->element, false, {}, false};
  if (type->kind != TypeKind::kObject) return {};
  const Field* field = type->object->Find(key);
  if (!field) return {};
  return {&field->type, field->patch_merge, field->patch_merge_key, field->patch_replace};
}

bool HasMaps(const json::Value& a, const json::Value& b) {
  const json::Value& list = a.items().empty() ? b : a;
  return !list.items().empty() && list.items()[0].IsObject();
}

class StrategicMerger {
 public:
  Status MergeMap(json::Value& original, json::Value patch, const ValueType* type);

 private:
  static Status RetainKeys(json::Value& original, json::Value& patch);
  Status MergeOrdered(ObjectEdit& original, json::Value& patch, const ValueType* type);
  Result<json::Value> MergedList(const json::Value* live, const json::Value* changes,
                                 const json::Value& order, const MergeStrategy& strategy);
  Status MergeMember(ObjectEdit& original, std::string_view key, json::Value patch,
                     const ValueType* type);
  static void DeleteFromList(ObjectEdit& original, std::string_view key,
                             const json::Value& deleted);
  // Merges `patch` into `list`. MergeOrdered uses `live_order`; see MergeMaps.
  Status MergeList(json::Value& list, const json::Value& patch, const MergeStrategy& strategy,
                   json::Value::Items& live_order);
  Status MergeMaps(json::Value& list, const json::Value& patch, const MergeStrategy& strategy,
                   json::Value::Items& live_order);
  Status MergeChanges(json::Value::Items& merged, const json::Value::Items& changes,
                      const MergeStrategy& strategy, json::Value::Items& live_order);
};

Status StrategicMerger::MergeMap(json::Value& original, json::Value patch, const ValueType* type) {
  if (const json::Value* directive = patch.Find(kPatchDirective)) {
    if (directive->AsString() == "replace") {
      patch.Erase(kPatchDirective);
      original = std::move(patch);
      return Status::Ok();
    }
    if (directive->AsString() != "delete") return UnknownDirective(*directive, patch);
    original = json::Value::Object();
    return Status::Ok();
  }
  if (Status status = RetainKeys(original, patch); !status.ok()) return status;
  ObjectEdit edit(original);
  if (Status status = MergeOrdered(edit, patch, type); !status.ok()) return status;
  for (json::Member& member : patch.MutableMembers()) {
    const std::string_view key = member.key;
    if (key.starts_with(kDeleteFromPrimitiveList)) {
      DeleteFromList(edit, key.substr(kDeleteFromPrimitiveList.size()), member.value);
      continue;
    }
    Status status = MergeMember(edit, key, std::move(member.value), type);
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

Status StrategicMerger::RetainKeys(json::Value& original, json::Value& patch) {
  if (!patch.Find(kRetainKeys)) return Status::Ok();
  const json::Value keys = patch.Get(kRetainKeys);
  patch.Erase(kRetainKeys);
  if (!keys.IsArray()) return BadRetainKeys();
  std::set<std::string_view> kept;
  for (const json::Value& key : keys.items()) kept.insert(key.AsString());
  for (const json::Member& member : patch.members()) {
    const bool is_value = !member.value.IsNull() &&
                          !member.key.starts_with(kDeleteFromPrimitiveList) &&
                          !member.key.starts_with(kSetElementOrder);
    if (is_value && !kept.contains(member.key)) return BadRetainKeys();
  }
  std::erase_if(original.MutableMembers(),
                [&](const json::Member& member) { return !kept.contains(member.key); });
  return Status::Ok();
}

// Merges the lists that have $setElementOrder.
Status StrategicMerger::MergeOrdered(ObjectEdit& original, json::Value& patch,
                                     const ValueType* type) {
  const json::Value::Members members = patch.members();
  ObjectEdit rest(patch);
  for (const json::Member& member : members) {
    if (!member.key.starts_with(kSetElementOrder)) continue;
    rest.Erase(member.key);
    const json::Value& order = member.value;
    const std::string key = member.key.substr(kSetElementOrder.size());
    if (!order.IsArray()) return NoList(order);
    const json::Value* live = original.Find(key);
    const json::Value* changes = rest.Find(key);
    if (live && !live->IsArray()) return NoList(*live);
    if (changes && !changes->IsArray()) return NoList(*changes);
    if (type && type->kind == TypeKind::kObject && !type->object->Find(key)) {
      return UnknownError("unable to find api field in struct " + type->object->name +
                          " for the json field \"" + key + "\"");
    }
    if (!live && !changes) continue;
    Result<json::Value> merged = MergedList(live, changes, order, StrategyOf(type, key));
    if (!merged.ok()) return merged.status();
    original.Set(key, *std::move(merged));
    rest.Erase(key);
  }
  return Status::Ok();
}

// Merges two lists, one of which can be missing.
Result<json::Value> StrategicMerger::MergedList(const json::Value* live, const json::Value* changes,
                                                const json::Value& order,
                                                const MergeStrategy& strategy) {
  const std::string& key = strategy.merge_key;
  if (changes) {
    if (Status status = CheckOrder(*changes, order, key); !status.ok()) return status;
  }
  json::Value merged = live ? *live : *changes;
  json::Value::Items live_order;
  if (live) live_order = live->items();
  if (!live) {
    RemoveDirectives(merged);
  } else if (changes) {
    Status status = MergeList(merged, *changes, strategy, live_order);
    if (!status.ok()) return status;
  }
  if (!key.empty()) {
    for (const json::Value* list : {&std::as_const(merged), &order}) {
      if (Status status = CheckMergeKey(*list, key); !status.ok()) return status;
    }
  }
  return json::Value::Array(OrderElements(merged.items(), order.items(), live_order, key));
}

void StrategicMerger::DeleteFromList(ObjectEdit& original, std::string_view key,
                                     const json::Value& deleted) {
  if (deleted.IsNull()) {
    original.Erase(key);
    return;
  }
  const json::Value* live = original.Find(key);
  if (!live || !live->IsArray() || !deleted.IsArray()) return;
  const ElementPlaces places(deleted.items(), {});
  std::erase_if(original.Mutable(key).MutableItems(),
                [&](const json::Value& item) { return places.Find(item).has_value(); });
}

Status StrategicMerger::MergeMember(ObjectEdit& original, std::string_view key, json::Value patch,
                                    const ValueType* type) {
  if (patch.IsNull()) {
    original.Erase(key);
    return Status::Ok();
  }
  const json::Value* live = original.Find(key);
  if (!live || live->kind() != patch.kind() || (!patch.IsObject() && !patch.IsArray())) {
    if (!live || live->kind() != patch.kind()) DiscardNulls(patch);
    if (RemoveDirectives(patch)) {
      original.Set(key, std::move(patch));
    } else {
      original.Erase(key);
    }
    return Status::Ok();
  }
  const MergeStrategy strategy = StrategyOf(type, key);
  json::Value& member = original.Mutable(key);
  if (patch.IsObject() && strategy.replace) {
    member = std::move(patch);
    return Status::Ok();
  }
  if (patch.IsObject()) return MergeMap(member, std::move(patch), strategy.type);
  json::Value::Items live_order;
  return MergeList(member, patch, strategy, live_order);
}

Status StrategicMerger::MergeList(json::Value& list, const json::Value& patch,
                                  const MergeStrategy& strategy, json::Value::Items& live_order) {
  if (!strategy.merge) {
    list = patch;
    return Status::Ok();
  }
  if (list.items().empty() && patch.items().empty()) return Status::Ok();
  if (Status status = CheckElements(list, patch); !status.ok()) return status;
  if (HasMaps(list, patch)) return MergeMaps(list, patch, strategy, live_order);

  json::Value::Items merged;
  ElementPlaces places({}, {});
  for (const json::Value* part : {&std::as_const(list), &patch}) {
    for (const json::Value& item : part->items()) {
      if (places.Find(item)) continue;
      places.Add(item, merged.size());
      merged.push_back(item);
    }
  }
  list = json::Value::Array(OrderElements(merged, patch.items(), list.items(), {}));
  return Status::Ok();
}

// The API deletes and appends in the array of the live list, and later sorts by that array.
// `live_order` tracks the array.
Status StrategicMerger::MergeMaps(json::Value& list, const json::Value& patch,
                                  const MergeStrategy& strategy, json::Value::Items& live_order) {
  const std::string& key = strategy.merge_key;
  if (key.empty()) return UnknownError("cannot merge lists without merge key for Struct");
  ShrinkingList live(list.items(), key);
  json::Value::Items changes;
  bool replace = false;
  for (const json::Value& element : patch.items()) {
    const json::Value* directive = element.Find(kPatchDirective);
    if (!directive) {
      changes.push_back(element);
    } else if (directive->AsString() == "delete") {
      if (!element.Find(key)) return NoMergeKey(element, key);
      live.Erase(element);
    } else if (directive->AsString() == "merge") {
      return UnknownError("merging lists cannot yet be specified in the patch");
    } else if (directive->AsString() == "replace") {
      replace = true;
    } else {
      return UnknownDirective(*directive, element);
    }
  }
  live_order = live.WholeArray();
  json::Value::Items merged = replace ? std::exchange(changes, {}) : live.Left();
  const json::Value::Items before = merged;
  if (Status status = MergeChanges(merged, changes, strategy, live_order); !status.ok()) {
    return status;
  }
  for (const json::Value& element : merged) {
    if (!element.Find(key)) return NoMergeKey(element, key);
  }
  list = json::Value::Array(OrderElements(merged, changes, before, key));
  return Status::Ok();
}

Status StrategicMerger::MergeChanges(json::Value::Items& merged, const json::Value::Items& changes,
                                     const MergeStrategy& strategy,
                                     json::Value::Items& live_order) {
  const std::string& key = strategy.merge_key;
  ElementPlaces places(merged, key);
  for (const json::Value& change : changes) {
    if (!change.Find(key)) return NoMergeKey(change, key);
    const std::optional<size_t> place = places.Find(change);
    if (!place) {
      if (merged.size() < live_order.size()) live_order[merged.size()] = change;
      places.Add(change, merged.size());
      merged.push_back(change);
      continue;
    }
    Status status = MergeMap(merged[*place], change, strategy.Element());
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

}  // namespace

Result<json::Value> ApplyStrategicMergePatch(const json::Value& target, const json::Value& patch,
                                             const ObjectType& type) {
  json::Value merged = target;
  const ValueType root{TypeKind::kObject, &type, nullptr};
  if (Status status = StrategicMerger().MergeMap(merged, patch, &root); !status.ok()) return status;
  if (HasDouble(patch)) MakeIntegers(merged);
  return merged;
}

}  // namespace capstan::testing::server
