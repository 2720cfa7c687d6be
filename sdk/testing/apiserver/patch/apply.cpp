#include "apiserver/patch/apply.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/http/api_errors.h"
#include "apiserver/patch/managed_fields.h"
#include "apiserver/storage/object_edit.h"
#include "apiserver/storage/object_fields.h"

namespace capstan::testing::server {
namespace {

// The metadata fields that no manager owns.
constexpr std::string_view kUnowned[] = {
    "f:name",        "f:namespace",  "f:creationTimestamp", "f:selfLink",        "f:uid",
    "f:clusterName", "f:generation", "f:managedFields",     "f:resourceVersion",
};

// Removes fields that cannot be owned, and fields that this request does not write.
void StripFields(json::Value& fields, const std::string& subresource) {
  fields.Erase("f:apiVersion");
  fields.Erase("f:kind");
  if (subresource == "status") {
    fields.Erase("f:spec");
    if (fields.Find("f:metadata")) fields.Mutable("f:metadata").Erase("f:labels");
  } else {
    fields.Erase("f:status");
  }
  if (!fields.Find("f:metadata")) return;
  for (const std::string_view name : kUnowned) fields.Mutable("f:metadata").Erase(name);
  EraseIfEmpty(fields, "f:metadata");
}

json::Value Merge(const json::Value& live, const json::Value& applied, const Part& part);

// The names of the elements, in order.
std::vector<std::string> NamesOf(const json::Value& list, const Part& part) {
  std::vector<std::string> names;
  for (const json::Value& item : list.items()) {
    names.push_back(part.ElementName(item).value_or("?" + std::to_string(names.size())));
  }
  return names;
}

// Merges two lists. Applied elements keep their order. Elements only in `live` come before the
// shared element that follows them in `live`.
json::Value MergeList(const json::Value& live, const json::Value& applied, const Part& part) {
  const std::vector<std::string> live_names = NamesOf(live, part);
  const std::vector<std::string> names = NamesOf(applied, part);
  std::map<std::string_view, size_t> in_live;  // the first position of each name
  for (size_t i = 0; i < live_names.size(); ++i) in_live.emplace(live_names[i], i);
  const std::set<std::string> in_applied(names.begin(), names.end());
  std::vector<std::string> shared;  // in the applied order; `next_shared` is the next one
  std::copy_if(names.begin(), names.end(), std::back_inserter(shared),
               [&](const std::string& name) { return in_live.contains(name); });
  size_t next_shared = 0;
  std::set<std::string> done;
  json::Value::Items merged;
  const auto take_applied = [&](size_t index) {
    const std::string& name = names[index];
    const auto place = in_live.find(name);
    const json::Value& item = applied.items()[index];
    done.insert(name);
    merged.push_back(
        place == in_live.end() ? item : Merge(live.items()[place->second], item, part.Element()));
    if (next_shared < shared.size() && shared[next_shared] == name) ++next_shared;
  };
  size_t left = 0;
  size_t right = 0;
  while (left < live_names.size() || right < names.size()) {
    if (left < live_names.size()) {
      const std::string& name = live_names[left];
      const bool is_shared = in_applied.contains(name);
      if (!is_shared) {
        merged.push_back(live.items()[left++]);
        continue;
      }
      // This shared element comes later or is already merged.
      const bool is_next = next_shared < shared.size() && shared[next_shared] == name;
      if (done.contains(name) || right == names.size() || !is_next) {
        ++left;
        continue;
      }
      if (names[right] == name) ++left;
    }
    if (right < names.size()) take_applied(right++);
  }
  return json::Value::Array(std::move(merged));
}

json::Value Merge(const json::Value& live, const json::Value& applied, const Part& part) {
  if (part.IsGranularList(applied) && live.IsArray()) return MergeList(live, applied, part);
  if (!part.IsGranularMap(applied) || !live.IsObject()) return applied;
  json::Value merged = live;
  ObjectEdit edit(merged);
  for (const json::Member& member : applied.members()) {
    const json::Value& before = live.Get(member.key);
    json::Value after = Merge(before, member.value, part.Member(member.key));
    if (!(after == before)) edit.Set(member.key, std::move(after));
  }
  edit.Finish();
  return merged;
}

// "(default/web; apps/v1, Kind=Deployment)", "(default/web; /v1, Kind=Pod)"
std::string DescriptionOf(const json::Value& object) {
  const std::string& version = object.Get("apiVersion").AsString();
  return "(" + object.Get("metadata", "namespace").AsString() + "/" +
         object.Get("metadata", "name").AsString() + "; " +
         (version.find('/') == std::string::npos ? "/" : "") + version +
         ", Kind=" + object.Get("kind").AsString() + ")";
}

Status NotTyped(const json::Value& applied, const std::vector<std::string>& errors) {
  std::string message = "failed to create typed patch object " + DescriptionOf(applied) + ": ";
  if (errors.size() == 1) {
    message += errors[0];
  } else {
    message += "errors:";
    for (const std::string& error : errors) message += "\n  " + error;
  }
  return UnknownError(std::move(message));
}

// A field that another manager owns and this apply would change.
struct Conflict {
  std::string manager;
  std::string path;
};

Status ConflictError(std::vector<Conflict> conflicts) {
  Status::Details details;
  details.reason = StatusReason::kConflict;
  details.http_code = 409;
  for (const Conflict& conflict : conflicts) {
    details.causes.push_back(
        {"FieldManagerConflict", "conflict with " + conflict.manager, conflict.path});
  }
  if (conflicts.size() == 1) {
    details.message = "Apply failed with 1 conflict: conflict with " + conflicts[0].manager + ": " +
                      conflicts[0].path;
    return Status(std::move(details));
  }
  std::stable_sort(conflicts.begin(), conflicts.end(),
                   [](const Conflict& a, const Conflict& b) { return a.manager < b.manager; });
  details.message = "Apply failed with " + std::to_string(conflicts.size()) + " conflicts: ";
  std::string manager;
  for (const Conflict& conflict : conflicts) {
    if (conflict.manager != manager) {
      if (!manager.empty()) details.message += '\n';
      manager = conflict.manager;
      details.message += "conflicts with " + manager + ":";
    }
    details.message += "\n- " + conflict.path;
  }
  return Status(std::move(details));
}

// Removes and returns the manager's entry in `all`, or returns a new entry if there is none.
ManagedFields TakeOwn(std::vector<ManagedFields>& all, const ApplyOptions& options) {
  const auto own = std::find_if(all.begin(), all.end(), [&](const ManagedFields& managed) {
    return managed.IsApplierOf(options.field_manager, options.subresource);
  });
  if (own != all.end()) {
    ManagedFields taken = std::move(*own);
    all.erase(own);
    return taken;
  }
  ManagedFields made{
      json::Value::Object(
          {{"manager", options.field_manager}, {"operation", "Apply"}, {"fieldsType", "FieldsV1"}}),
      json::Value::Object()};
  if (!options.subresource.empty()) made.entry.Set("subresource", options.subresource);
  return made;
}

}  // namespace

Result<json::Value> ApplyConfiguration(const json::Value& live, const json::Value& applied,
                                       const ObjectType& type, const ApplyOptions& options) {
  if (applied.Get("metadata").Find("managedFields") &&
      !applied.Get("metadata", "managedFields").IsNull()) {
    return BadRequestError("metadata.managedFields must be nil");
  }
  std::vector<std::string> errors;
  json::Value fields = FieldsOfConfiguration(applied, type, errors);
  if (!errors.empty()) return NotTyped(applied, errors);
  const json::Value configured = fields;  // with fields that cannot be owned; Prune keeps them
  StripFields(fields, options.subresource);

  const ValueType root{TypeKind::kObject, &type, nullptr};
  const Part part = Part::Of(root);
  std::vector<ManagedFields> all = ReadManagedFields(live);
  ManagedFields own = TakeOwn(all, options);

  json::Value merged = Merge(live.IsNull() ? json::Value::Object() : live, applied, part);
  std::vector<const json::Value*> owners{&configured};
  for (const ManagedFields& managed : all) owners.push_back(&managed.fields);
  Prune(merged, part, own.fields, owners);

  std::vector<Conflict> conflicts;
  for (ManagedFields& managed : all) {
    std::vector<std::string> changed;
    json::Value kept = KeepUnchanged(managed.fields, live, merged, part, "", changed);
    for (std::string& path : changed) {
      conflicts.push_back({managed.ManagerText(), std::move(path)});
    }
    managed.fields = std::move(kept);
  }
  if (!conflicts.empty() && !options.force) return ConflictError(std::move(conflicts));

  if (merged == live && fields == own.fields) return live;
  own.fields = std::move(fields);
  own.entry.Set("apiVersion", options.api_version);
  own.entry.Set("time", options.now);
  all.push_back(std::move(own));
  WriteManagedFields(merged, std::move(all));
  return merged;
}

void DropLostOwnership(const json::Value& before, json::Value& after, const ObjectType& type) {
  std::vector<ManagedFields> all = ReadManagedFields(after);
  if (all.empty()) return;
  const ValueType root{TypeKind::kObject, &type, nullptr};
  bool lost = false;
  for (ManagedFields& managed : all) {
    std::vector<std::string> changed;
    json::Value kept = KeepUnchanged(managed.fields, before, after, Part::Of(root), "", changed);
    if (kept == managed.fields) continue;
    managed.fields = std::move(kept);
    lost = true;
  }
  if (lost) WriteManagedFields(after, std::move(all));
}

}  // namespace capstan::testing::server
