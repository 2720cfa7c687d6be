// ApplyMergePatch (patch.h).

#include <utility>

#include "apiserver/http/api_errors.h"
#include "apiserver/patch/patch.h"
#include "apiserver/storage/object_edit.h"

namespace capstan::testing::server {
namespace {

// Returns a newly added value without nulls. The API also removes nulls from objects inside arrays.
json::Value WithoutNulls(const json::Value& value) {
  if (value.IsArray()) {
    json::Value::Items items;
    items.reserve(value.items().size());
    for (const json::Value& item : value.items()) items.push_back(WithoutNulls(item));
    return json::Value::Array(std::move(items));
  }
  if (!value.IsObject()) return value;
  json::Value object = json::Value::Object();
  json::Value::Members& members = object.MutableMembers();
  for (const json::Member& member : value.members()) {
    if (!member.value.IsNull()) members.push_back({member.key, WithoutNulls(member.value)});
  }
  return object;
}

json::Value Merge(json::Value target, const json::Value& patch) {
  if (!target.IsObject()) return WithoutNulls(patch);
  if (!patch.IsObject()) return patch;
  ObjectEdit edit(target);
  for (const json::Member& member : patch.members()) {
    if (member.value.IsNull()) {
      edit.Erase(member.key);
      continue;
    }
    json::Value& merged = edit.Mutable(member.key);
    merged = Merge(std::exchange(merged, {}), member.value);
  }
  edit.Finish();
  return target;
}

}  // namespace

Result<json::Value> ApplyMergePatch(const json::Value& target, const json::Value& patch) {
  if (patch.IsNull()) return BadRequestError("Invalid JSON Patch");
  return patch.IsObject() ? Merge(target, patch) : WithoutNulls(patch);
}

}  // namespace capstan::testing::server
