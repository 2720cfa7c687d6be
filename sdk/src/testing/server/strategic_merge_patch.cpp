// ApplyStrategicMergePatch (patch.h).

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "testing/server/api_errors.h"
#include "testing/server/element_order.h"
#include "testing/server/go_text.h"
#include "testing/server/patch.h"

namespace capstan::testing::server {
namespace {

constexpr std::string_view kDirective = "$patch";
constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kOrder = "$setElementOrder/";
constexpr std::string_view kDeleteFromList = "$deleteFromPrimitiveList/";

bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

Status BadRetainKeys() { return BadRequestError("invalid patch format of retainKeys"); }

Status UnknownDirective(const json::Value& directive, const json::Value& map) {
  return UnknownError("unknown patch type: " + GoText(directive) + " in map: " + GoText(map));
}

Status NoMergeKey(const json::Value& map, const std::string& merge_key) {
  return UnknownError("map: " + GoText(map) + " does not contain declared merge key: " + merge_key);
}

Status NoList(const json::Value& value) {
  return UnknownError("expected a []interface {}, but received a " +
                      std::string(GoTypeName(value)));
}

// Numbers like 1.0 become integers, as they do where the API converts a patched object.
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

// Takes the null members out of maps.
void DiscardNulls(json::Value& value) {
  if (value.IsArray()) {
    for (json::Value& item : value.MutableItems()) DiscardNulls(item);
  } else if (value.IsObject()) {
    json::Value::Members& members = value.MutableMembers();
    members.erase(std::remove_if(members.begin(), members.end(),
                                 [](const json::Member& member) { return member.value.IsNull(); }),
                  members.end());
    for (json::Member& member : members) DiscardNulls(member.value);
  }
}

// Takes out maps with a directive. Whether `value` itself stays.
bool RemoveDirectives(json::Value& value) {
  if (value.IsArray()) {
    json::Value::Items& items = value.MutableItems();
    items.erase(std::remove_if(items.begin(), items.end(),
                               [](json::Value& item) { return !RemoveDirectives(item); }),
                items.end());
  } else if (value.IsObject()) {
    if (value.Find(kDirective)) return false;
    json::Value::Members& members = value.MutableMembers();
    members.erase(
        std::remove_if(members.begin(), members.end(),
                       [](json::Member& member) { return !RemoveDirectives(member.value); }),
        members.end());
  }
  return true;
}

// How a list or map is merged.
struct Strategy {
  const ValueType* type = nullptr;  // of the value, null when unknown
  bool merge = false;
  std::string merge_key;

  const ValueType* Element() const { return type ? type->element : nullptr; }
};

Strategy StrategyOf(const ValueType* type, std::string_view key) {
  if (!type) return {};
  if (type->kind == TypeKind::kMap) return {type->element, false, {}};
  if (type->kind != TypeKind::kObject) return {};
  const Field* field = type->object->Find(key);
  if (!field) return {};
  return {&field->type, field->patch_merge, field->patch_merge_key};
}

// The elements must all be maps, or all be scalars of one type.
Status CheckElements(const json::Value& original, const json::Value& patch) {
  const json::Value* first = nullptr;
  for (const json::Value* list : {&original, &patch}) {
    for (const json::Value& element : list->items()) {
      if (!first) {
        first = &element;
        if (!element.IsArray()) continue;
        Status::Details details;
        details.reason = StatusReason::kInvalid;
        details.http_code = 422;
        details.message = "the server rejected our request due to an error in our request";
        return Status(std::move(details));
      }
      if (first->kind() != element.kind()) {
        return UnknownError("list element types are not identical: [" + GoText(original) + " " +
                            GoText(patch) + "]");
      }
    }
  }
  return first ? Status::Ok() : UnknownError("no elements in any of the given slices");
}

Status CheckMergeKey(const json::Value& list, const std::string& merge_key) {
  for (size_t i = 0; i < list.items().size(); ++i) {
    const json::Value& element = list.items()[i];
    if (!element.IsObject()) {
      return UnknownError("value for key " + std::to_string(i) + " is not a map");
    }
    if (!element.Find(merge_key)) return NoMergeKey(element, merge_key);
  }
  return Status::Ok();
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
  Status MergeOrdered(json::Value& original, json::Value& patch, const ValueType* type);
  Status MergeMember(json::Value& original, std::string_view key, json::Value patch,
                     const ValueType* type);
  static Status DeleteFromList(json::Value& original, std::string_view key,
                               const json::Value& deleted);
  // Merges `patch` into `list`. `live_order` is for MergeOrdered; see MergeMaps.
  Status MergeList(json::Value& list, const json::Value& patch, const Strategy& strategy,
                   json::Value::Items& live_order);
  Status MergeMaps(json::Value& list, const json::Value& patch, const Strategy& strategy,
                   json::Value::Items& live_order);
  static Status CheckOrder(const json::Value& patch, const json::Value& order,
                           const std::string& merge_key);
};

Status StrategicMerger::MergeMap(json::Value& original, json::Value patch, const ValueType* type) {
  if (const json::Value* directive = patch.Find(kDirective)) {
    if (directive->AsString() == "replace") {
      patch.Erase(kDirective);
      original = std::move(patch);
      return Status::Ok();
    }
    if (directive->AsString() != "delete") return UnknownDirective(*directive, patch);
    original = json::Value::Object();
    return Status::Ok();
  }
  if (Status status = RetainKeys(original, patch); !status.ok()) return status;
  if (Status status = MergeOrdered(original, patch, type); !status.ok()) return status;
  for (json::Member& member : patch.MutableMembers()) {
    const std::string_view key = member.key;
    const bool deletes = StartsWith(key, kDeleteFromList);
    Status status = deletes
                        ? DeleteFromList(original, key.substr(kDeleteFromList.size()), member.value)
                        : MergeMember(original, key, std::move(member.value), type);
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

Status StrategicMerger::RetainKeys(json::Value& original, json::Value& patch) {
  if (!patch.Find(kRetainKeys)) return Status::Ok();
  const json::Value keys = patch.Get(kRetainKeys);
  patch.Erase(kRetainKeys);
  if (!keys.IsArray()) return BadRetainKeys();
  const auto is_kept = [&](const std::string& key) {
    return std::any_of(keys.items().begin(), keys.items().end(),
                       [&](const json::Value& kept) { return kept.AsString() == key; });
  };
  for (const json::Member& member : patch.members()) {
    const bool is_value = !member.value.IsNull() && !StartsWith(member.key, kDeleteFromList) &&
                          !StartsWith(member.key, kOrder);
    if (is_value && !is_kept(member.key)) return BadRetainKeys();
  }
  json::Value::Members& members = original.MutableMembers();
  members.erase(std::remove_if(members.begin(), members.end(),
                               [&](const json::Member& member) { return !is_kept(member.key); }),
                members.end());
  return Status::Ok();
}

Status StrategicMerger::CheckOrder(const json::Value& patch, const json::Value& order,
                                   const std::string& merge_key) {
  const json::Value::Items& ordered = order.items();
  if (ordered.empty()) return Status::Ok();
  size_t next = 0;
  for (const json::Value& element : patch.items()) {
    if (element.Find(kDirective)) continue;
    if (!merge_key.empty() && !element.Find(merge_key)) return NoMergeKey(element, merge_key);
    for (;; ++next) {
      if (next == ordered.size()) {
        return UnknownError("The order in patch list:\n" + GoText(patch) +
                            "\n doesn't match $setElementOrder list:\n" + GoText(order) + "\n");
      }
      if (ElementIndex({ordered[next]}, element, merge_key) == 0) break;
    }
    ++next;
  }
  return Status::Ok();
}

// The lists whose order the patch gives.
Status StrategicMerger::MergeOrdered(json::Value& original, json::Value& patch,
                                     const ValueType* type) {
  const json::Value::Members members = patch.members();
  for (const json::Member& member : members) {
    if (!StartsWith(member.key, kOrder)) continue;
    patch.Erase(member.key);
    const json::Value& order = member.value;
    const std::string key = member.key.substr(kOrder.size());
    if (!order.IsArray()) return NoList(order);
    const json::Value before = original.Get(key);
    const json::Value changes = patch.Get(key);
    const bool had = original.Find(key) != nullptr;
    const bool has = patch.Find(key) != nullptr;
    if (had && !before.IsArray()) return NoList(before);
    if (has && !changes.IsArray()) return NoList(changes);
    if (type && type->kind == TypeKind::kObject && !type->object->Find(key)) {
      return UnknownError("unable to find api field in struct " + type->object->name +
                          " for the json field \"" + key + "\"");
    }
    if (!had && !has) continue;
    const Strategy strategy = StrategyOf(type, key);
    if (Status status = CheckOrder(changes, order, strategy.merge_key); !status.ok()) return status;

    json::Value merged = before;
    json::Value::Items live_order = before.items();
    if (!had) {
      merged = changes;
      RemoveDirectives(merged);
    } else if (has) {
      Status status = MergeList(merged, changes, strategy, live_order);
      if (!status.ok()) return status;
    }
    if (!strategy.merge_key.empty()) {
      for (const json::Value* list : {&std::as_const(merged), &order}) {
        if (Status status = CheckMergeKey(*list, strategy.merge_key); !status.ok()) return status;
      }
    }
    original.Set(key, json::Value::Array(OrderElements(merged.items(), order.items(), live_order,
                                                       strategy.merge_key)));
    patch.Erase(key);
  }
  return Status::Ok();
}

Status StrategicMerger::DeleteFromList(json::Value& original, std::string_view key,
                                       const json::Value& deleted) {
  if (deleted.IsNull()) {
    original.Erase(key);
    return Status::Ok();
  }
  if (!original.Get(key).IsArray() || !deleted.IsArray()) return Status::Ok();
  json::Value::Items& items = original.Mutable(key).MutableItems();
  items.erase(std::remove_if(items.begin(), items.end(),
                             [&](const json::Value& item) {
                               return ElementIndex(deleted.items(), item, {}) >= 0;
                             }),
              items.end());
  return Status::Ok();
}

Status StrategicMerger::MergeMember(json::Value& original, std::string_view key, json::Value patch,
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
  const Strategy strategy = StrategyOf(type, key);
  json::Value& member = original.Mutable(key);
  if (patch.IsObject()) return MergeMap(member, std::move(patch), strategy.type);
  json::Value::Items live_order;
  return MergeList(member, patch, strategy, live_order);
}

Status StrategicMerger::MergeList(json::Value& list, const json::Value& patch,
                                  const Strategy& strategy, json::Value::Items& live_order) {
  if (!strategy.merge) {
    list = patch;
    return Status::Ok();
  }
  if (list.items().empty() && patch.items().empty()) return Status::Ok();
  if (Status status = CheckElements(list, patch); !status.ok()) return status;
  if (HasMaps(list, patch)) return MergeMaps(list, patch, strategy, live_order);

  json::Value::Items merged;
  for (const json::Value* part : {&std::as_const(list), &patch}) {
    for (const json::Value& item : part->items()) {
      if (ElementIndex(merged, item, {}) < 0) merged.push_back(item);
    }
  }
  list = json::Value::Array(OrderElements(merged, patch.items(), list.items(), {}));
  return Status::Ok();
}

// The API deletes and appends inside of the live list's array, and orders by that array later on:
// `live_order` follows what happens to it.
Status StrategicMerger::MergeMaps(json::Value& list, const json::Value& patch,
                                  const Strategy& strategy, json::Value::Items& live_order) {
  const std::string& key = strategy.merge_key;
  if (key.empty()) return UnknownError("cannot merge lists without merge key for Struct");
  json::Value::Items merged = list.items();
  live_order = merged;
  json::Value::Items changes;
  bool replace = false;
  for (const json::Value& element : patch.items()) {
    const json::Value* directive = element.Find(kDirective);
    if (!directive) {
      changes.push_back(element);
    } else if (directive->AsString() == "delete") {
      if (!element.Find(key)) return NoMergeKey(element, key);
      for (int at = 0; (at = ElementIndex(merged, element, key)) >= 0;) {
        merged.erase(merged.begin() + at);
        std::copy(merged.begin(), merged.end(), live_order.begin());
      }
    } else if (directive->AsString() == "merge") {
      return UnknownError("merging lists cannot yet be specified in the patch");
    } else if (directive->AsString() == "replace") {
      replace = true;
    } else {
      return UnknownDirective(*directive, element);
    }
  }
  if (replace) merged = std::exchange(changes, {});
  const json::Value::Items before = merged;
  for (const json::Value& change : changes) {
    if (!change.Find(key)) return NoMergeKey(change, key);
    const int place = ElementIndex(merged, change, key);
    if (place < 0) {
      if (merged.size() < live_order.size()) live_order[merged.size()] = change;
      merged.push_back(change);
      continue;
    }
    json::Value& element = merged[static_cast<size_t>(place)];
    if (Status status = MergeMap(element, change, strategy.Element()); !status.ok()) return status;
  }
  for (const json::Value& element : merged) {
    if (!element.Find(key)) return NoMergeKey(element, key);
  }
  list = json::Value::Array(OrderElements(merged, changes, before, key));
  return Status::Ok();
}

// Takes the word after `prefix` out of a text.
std::string_view WordAfter(std::string_view text, std::string_view prefix) {
  const size_t start = text.find(prefix);
  if (start == std::string_view::npos) return {};
  text.remove_prefix(start + prefix.size());
  return text.substr(0, text.find(' '));
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

std::string StrategicPatchTypeError(std::string_view conform_error) {
  constexpr std::string_view kCannot = "json: cannot unmarshal ";
  if (!StartsWith(conform_error, kCannot)) return std::string(conform_error);
  std::string from(WordAfter(conform_error, kCannot));
  const std::string to(WordAfter(conform_error, " of type "));
  if (from == "number") {
    const std::string_view number = WordAfter(conform_error, "number ");
    from = number.find_first_of(".eE") == std::string_view::npos ? "int64" : "float64";
  } else if (from == "array") {
    from = "slice";
  } else if (from == "object") {
    from = "map";
  }
  if (StartsWith(to, "[]")) return "cannot restore slice from " + from;
  if (StartsWith(to, "map[")) return "cannot restore map from " + from;
  if (StartsWith(to, "v1.")) return "cannot restore struct from: " + from;
  const bool to_number = to == "int32" || to == "int64" || to == "float64";
  const bool converts = (from == "int64" && to == "string") || (from == "float64" && to_number);
  return converts ? "cannot convert " + from + " to " + to : "unrecognized type: " + to;
}

}  // namespace capstan::testing::server
