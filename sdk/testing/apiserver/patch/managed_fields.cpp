#include "apiserver/patch/managed_fields.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "apiserver/storage/object_edit.h"

namespace capstan::testing::server {
namespace {

const json::Value kAbsent;

// The sort key of an entry in the API's order.
std::tuple<std::string, std::string, std::string, std::string, std::string> OrderOf(
    const ManagedFields& managed) {
  const auto text = [&](std::string_view field) { return managed.entry.Get(field).AsString(); };
  return {text("operation"), text("time"), text("manager"), text("apiVersion"),
          text("subresource")};
}

bool IsContainer(const json::Value& value, const Part& part) {
  return part.IsGranularMap(value) || part.IsGranularList(value);
}

FieldChange ChangeOf(const json::Value* before, const json::Value* after, const Part& part) {
  const bool was = before && !before->IsNull();
  const bool is = after && !after->IsNull();
  if (!is) return was ? FieldChange::kRemoved : FieldChange::kNone;
  if (!was) return FieldChange::kAddedOrModified;
  // A container counts as unchanged: its contents are compared instead.
  if (IsContainer(*before, part) && IsContainer(*after, part)) return FieldChange::kNone;
  return *before == *after ? FieldChange::kNone : FieldChange::kAddedOrModified;
}

// Whether a name in fieldsV1 is a field that the schema declares. Such a field is also owned by the
// owners of its contents.
bool IsNamedField(const Part& part, const std::string& name) {
  const std::optional<std::string_view> key = MemberKey(name);
  return key && part.Declares(*key);
}

std::vector<const json::Value*> ChildrenOf(const std::vector<const json::Value*>& nodes,
                                           const std::string& name) {
  std::vector<const json::Value*> children;
  for (const json::Value* node : nodes) {
    if (const json::Value* child = node->Find(name)) children.push_back(child);
  }
  return children;
}

}  // namespace

bool ManagedFields::IsApplierOf(const std::string& manager, const std::string& subresource) const {
  return entry.Get("operation").AsString() == "Apply" &&
         entry.Get("manager").AsString() == manager &&
         entry.Get("subresource").AsString() == subresource;
}

std::string ManagedFields::ManagerText() const {
  std::string text = json::ToJson(entry.Get("manager").AsString());
  if (const std::string& subresource = entry.Get("subresource").AsString(); !subresource.empty()) {
    text += " with subresource " + json::ToJson(subresource);
  }
  if (entry.Get("operation").AsString() == "Update") {
    text += " using " + entry.Get("apiVersion").AsString();
  }
  return text;
}

std::vector<ManagedFields> ReadManagedFields(const json::Value& object) {
  std::vector<ManagedFields> all;
  for (const json::Value& entry : object.Get("metadata", "managedFields").items()) {
    ManagedFields managed{entry, entry.Get("fieldsV1")};
    managed.entry.Erase("fieldsV1");
    all.push_back(std::move(managed));
  }
  return all;
}

void WriteManagedFields(json::Value& object, std::vector<ManagedFields> all) {
  std::stable_sort(all.begin(), all.end(), [](const ManagedFields& a, const ManagedFields& b) {
    return OrderOf(a) < OrderOf(b);
  });
  json::Value::Items entries;
  for (ManagedFields& managed : all) {
    if (managed.fields.members().empty()) continue;
    managed.entry.Set("fieldsV1", std::move(managed.fields));
    entries.push_back(std::move(managed.entry));
  }
  if (entries.empty()) {
    if (object.Get("metadata").IsObject()) object.Mutable("metadata").Erase("managedFields");
    return;
  }
  object.Mutable("metadata", "managedFields") = json::Value::Array(std::move(entries));
}

json::Value KeepUnchanged(const json::Value& fields, const json::Value& before,
                          const json::Value& after, const Part& part, const std::string& path,
                          std::vector<std::string>& changed) {
  const PartIndex old(before, part);
  const PartIndex now(after, part);
  const json::Value::Members& members = fields.members();
  std::vector<bool> keeps_itself(members.size());
  // The fields at this level come before their contents.
  for (size_t i = 0; i < members.size(); ++i) {
    const std::string& name = members[i].key;
    if (name == "." || !OwnsItself(members[i].value)) continue;
    const FieldChange change = ChangeOf(old.Find(name), now.Find(name), PartNamed(part, name));
    keeps_itself[i] = change == FieldChange::kNone;
    if (change != FieldChange::kAddedOrModified) continue;
    changed.push_back(path);
    AppendPathStep(changed.back(), name);
  }
  json::Value kept = json::Value::Object();
  for (size_t i = 0; i < members.size(); ++i) {
    const std::string& name = members[i].key;
    if (name == ".") continue;
    json::Value node = json::Value::Object();
    if (!members[i].value.members().empty()) {
      const json::Value* was = old.Find(name);
      const json::Value* is = now.Find(name);
      std::string there = path;
      AppendPathStep(there, name);
      node = KeepUnchanged(members[i].value, was ? *was : kAbsent, is ? *is : kAbsent,
                           PartNamed(part, name), there, changed);
    }
    const bool keeps_more = !node.members().empty();
    if (!keeps_more && !keeps_itself[i]) continue;
    if (keeps_more && keeps_itself[i]) node.Set(".", json::Value::Object());
    kept.MutableMembers().push_back({name, std::move(node)});
  }
  return kept;
}

void Prune(json::Value& value, const Part& part, const json::Value& last,
           const std::vector<const json::Value*>& owners) {
  const PartIndex index(value, part);
  ObjectEdit edit(value);
  std::set<size_t> gone;  // positions of elements
  for (const json::Member& member : last.members()) {
    const std::string& name = member.key;
    if (name == ".") continue;
    const std::optional<std::string_view> key = MemberKey(name);
    const std::vector<size_t> places = index.PlacesOf(name);
    const bool is_named = IsNamedField(part, name);
    const std::vector<const json::Value*> there = ChildrenOf(owners, name);
    const bool is_owned = std::any_of(there.begin(), there.end(), [&](const json::Value* node) {
      return is_named || OwnsItself(*node);
    });
    if (!is_owned && (is_named || OwnsItself(member.value))) {
      if (key) edit.Erase(*key);
      gone.insert(places.begin(), places.end());
      continue;
    }
    if (member.value.members().empty()) continue;
    json::Value* child = nullptr;
    if (key && edit.Find(*key)) child = &edit.Mutable(*key);
    if (!places.empty()) child = &value.MutableItems()[places.front()];
    if (child) Prune(*child, PartNamed(part, name), member.value, there);
  }
  if (gone.empty()) return;
  json::Value::Items left;
  const json::Value::Items& items = value.items();
  for (size_t i = 0; i < items.size(); ++i) {
    if (!gone.contains(i)) left.push_back(items[i]);
  }
  value = json::Value::Array(std::move(left));
}

}  // namespace capstan::testing::server
