// ApplySchemaDefaults (decoding.h).

#include "apiserver/codec/decoding.h"

namespace capstan::testing::server {
namespace {

bool FillObject(const json::Value& value, const ObjectType& type, json::Value& out);

// Returns whether `value` must be replaced with `out`. Values without anything to default stay
// shared.
bool Fill(const json::Value& value, const ValueType& type, json::Value& out) {
  if (type.kind == TypeKind::kObject && value.IsObject()) {
    return FillObject(value, *type.object, out);
  }
  bool changed = false;
  if (type.kind == TypeKind::kList && value.IsArray()) {
    const json::Value::Items& items = value.items();
    for (size_t i = 0; i < items.size(); ++i) {
      json::Value filled;
      if (!Fill(items[i], *type.element, filled)) continue;
      if (!changed) out = value;
      changed = true;
      out.MutableItems()[i] = std::move(filled);
    }
  }
  if (type.kind == TypeKind::kMap && value.IsObject()) {
    const json::Value::Members& members = value.members();
    for (size_t i = 0; i < members.size(); ++i) {
      json::Value filled;
      if (!Fill(members[i].value, *type.element, filled)) continue;
      if (!changed) out = value;
      changed = true;
      out.MutableMembers()[i].value = std::move(filled);
    }
  }
  return changed;
}

// Whether a field with this value takes its default.
bool IsUnset(const json::Value* value, const Field& field, const ObjectType& type) {
  if (!value) return true;
  if (type.custom) return value->IsNull() && !field.nullable;
  return value->IsNull() || (field.presence != Presence::kIfSet && value->IsEmpty());
}

bool FillObject(const json::Value& value, const ObjectType& type, json::Value& out) {
  bool changed = false;
  const auto set = [&](const Field& field, json::Value filled) {
    if (!changed) out = value;
    changed = true;
    out.Set(field.name, std::move(filled));
  };
  for (const Field& field : type.fields) {
    const bool is_plain = field.type.kind < TypeKind::kObject;
    if (is_plain && !field.default_value) continue;
    const json::Value* member = value.Find(field.name);
    json::Value filled;
    if (field.default_value && IsUnset(member, field, type)) {
      // The members of a default can have defaults.
      const bool more = Fill(*field.default_value, field.type, filled);
      set(field, more ? filled : *field.default_value);
    } else if (member && Fill(*member, field.type, filled)) {
      set(field, std::move(filled));
    }
  }
  return changed;
}

}  // namespace

void ApplySchemaDefaults(json::Value& object, const ObjectType& type) {
  json::Value filled;
  if (FillObject(object, type, filled)) object = std::move(filled);
}

}  // namespace capstan::testing::server
