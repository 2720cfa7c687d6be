#include "testing/server/managed_fields.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace capstan::testing::server {
namespace {

const json::Value kAbsent;

// An entry's place in the API's order.
std::tuple<std::string, std::string, std::string, std::string, std::string> OrderOf(
    const ManagedFields& managed) {
  const auto text = [&](std::string_view field) { return managed.entry.Get(field).AsString(); };
  return {text("operation"), text("time"), text("manager"), text("apiVersion"),
          text("subresource")};
}

bool IsContainer(const json::Value& value, const Part& part) {
  return part.IsGranularMap(value) || part.IsGranularList(value);
}

Change ChangeOf(const json::Value* before, const json::Value* after, const Part& part) {
  const bool was = before && !before->IsNull();
  const bool is = after && !after->IsNull();
  if (!is) return was ? Change::kRemoved : Change::kNone;
  if (!was) return Change::kAddedOrModified;
  // Containers change by what is in them.
  if (IsContainer(*before, part) && IsContainer(*after, part)) return Change::kNone;
  return *before == *after ? Change::kNone : Change::kAddedOrModified;
}

// Whether a name in fieldsV1 stands for a field of an object that the schema names: those are owned
// by whoever owns something in them.
bool IsNamedField(const Part& part, const std::string& name) {
  return name.rfind("f:", 0) == 0 && part.Declares(std::string_view(name).substr(2));
}

std::vector<const json::Value*> ChildrenOf(const std::vector<const json::Value*>& nodes,
                                           const std::string& name) {
  std::vector<const json::Value*> children;
  for (const json::Value* node : nodes) {
    if (const json::Value* child = node->Find(name)) children.push_back(child);
  }
  return children;
}

void Remove(json::Value& value, const Part& part, const std::string& name) {
  if (name.rfind("f:", 0) == 0) {
    value.Erase(std::string_view(name).substr(2));
    return;
  }
  if (!part.IsGranularList(value)) return;
  json::Value::Items& items = value.MutableItems();
  items.erase(
      std::remove_if(items.begin(), items.end(),
                     [&](const json::Value& item) { return part.ElementName(item) == name; }),
      items.end());
}

json::Value* MutablePart(json::Value& value, const Part& part, const std::string& name) {
  const json::Value* found = FindPart(value, part, name);
  if (!found) return nullptr;
  if (name.rfind("f:", 0) == 0) return &value.Mutable(std::string_view(name).substr(2));
  const ptrdiff_t index = found - value.items().data();
  return &value.MutableItems()[static_cast<size_t>(index)];
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
  json::Value kept = json::Value::Object();
  std::vector<const json::Member*> inner;
  // A level's own places come before what is in them.
  for (const json::Member& member : fields.members()) {
    if (member.key == ".") continue;
    const Part here = PartNamed(part, member.key);
    if (!member.value.members().empty()) inner.push_back(&member);
    if (!OwnsItself(member.value)) continue;
    const Change change =
        ChangeOf(FindPart(before, part, member.key), FindPart(after, part, member.key), here);
    if (change == Change::kNone) {
      const bool has_more = !member.value.members().empty();
      kept.Set(member.key, has_more ? json::Value::Object({{".", json::Value::Object()}})
                                    : json::Value::Object());
    } else if (change == Change::kAddedOrModified) {
      changed.push_back(path);
      AppendPathStep(changed.back(), member.key);
    }
  }
  for (const json::Member* member : inner) {
    const json::Value* old = FindPart(before, part, member->key);
    const json::Value* now = FindPart(after, part, member->key);
    std::string there = path;
    AppendPathStep(there, member->key);
    json::Value more = KeepUnchanged(member->value, old ? *old : kAbsent, now ? *now : kAbsent,
                                     PartNamed(part, member->key), there, changed);
    if (more.members().empty()) {
      // Only the place itself is left, if that.
      if (kept.Find(member->key)) kept.Set(member->key, json::Value::Object());
      continue;
    }
    if (kept.Find(member->key)) more.Set(".", json::Value::Object());
    kept.Set(member->key, std::move(more));
  }
  return kept;
}

void Prune(json::Value& value, const Part& part, const json::Value& last,
           const std::vector<const json::Value*>& owners) {
  for (const json::Member& member : last.members()) {
    if (member.key == ".") continue;
    const bool is_named = IsNamedField(part, member.key);
    const std::vector<const json::Value*> there = ChildrenOf(owners, member.key);
    const bool is_owned = std::any_of(there.begin(), there.end(), [&](const json::Value* node) {
      return is_named || OwnsItself(*node);
    });
    if (!is_owned && (is_named || OwnsItself(member.value))) {
      Remove(value, part, member.key);
      continue;
    }
    if (member.value.members().empty()) continue;
    json::Value* child = MutablePart(value, part, member.key);
    if (child) Prune(*child, PartNamed(part, member.key), member.value, there);
  }
}

}  // namespace capstan::testing::server
