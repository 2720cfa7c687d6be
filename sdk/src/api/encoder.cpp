#include "api/encoder.h"

#include <capstan/api/object.h>

#include "api/field_access.h"
#include "api/raw_json_access.h"

namespace capstan {
namespace internal {
namespace {

// One overload for each type that VisitValue passes.
void Append(std::string& out, bool value) { out += value ? "true" : "false"; }
void Append(std::string& out, int32_t value) { out += std::to_string(value); }
void Append(std::string& out, int64_t value) { out += std::to_string(value); }
void Append(std::string& out, const std::string& value) { json::AppendString(out, value); }
void Append(std::string& out, const InternedString& value) {
  json::AppendString(out, value.view());
}
void Append(std::string& out, const Uid& value) { json::AppendString(out, value.str()); }
template <class T>
requires std::is_same_v<T, api::Time> || std::is_same_v<T, api::MicroTime>
void Append(std::string& out, const T& value) {
  if (value.IsZero())
    out += "null";
  else
    json::AppendString(out, value.ToString());
}
void Append(std::string& out, const api::IntOrString& value) {
  if (value.is_string())
    json::AppendString(out, value.string_value());
  else
    out += std::to_string(value.int_value());
}
void Append(std::string& out, const StringMap& value) {
  json::ObjectWriter writer(out);
  for (const auto& [key, text] : value) {
    writer.Key(key.view());
    json::AppendString(out, text);
  }
  writer.End();
}
void Append(std::string& out, const RawJson& value) {
  out += value.empty() ? "null" : value.text();
}

bool IsZeroValue(const TypeDescriptor& type, const void* object) {
  for (const FieldDescriptor& field : FieldsOf(type)) {
    if ((field.flags & kAlwaysEncode) || !IsZero(field, MemberOf(field, object))) return false;
  }
  return true;
}

void AppendValue(std::string& out, const FieldDescriptor& field, const void* slot) {
  if (field.kind != FieldKind::kObject) {
    return VisitValue(field.kind, slot, [&out](const auto& value) { Append(out, value); });
  }
  json::ObjectWriter writer(out);
  AppendFields(writer, out, field.nested(), slot);
  writer.End();
}

void AppendUnknownMembers(json::ObjectWriter& writer, std::string& out, const RawJson& unknown) {
  const json::Document document = RawJsonAccess::ToDocument(unknown);
  for (const json::Node& member : document.root().children) {
    writer.Key(member.key);
    json::AppendNode(out, member);
  }
}

}  // namespace

bool IsZero(const FieldDescriptor& field, const void* member) {
  if (field.shape != FieldShape::kPlain) return field.container->size(member) == 0;
  if (field.kind == FieldKind::kObject) return IsZeroValue(field.nested(), member);
  return VisitValue(field.kind, member, [](const auto& value) {
    return value == std::remove_cvref_t<decltype(value)>{};
  });
}

void AppendField(std::string& out, const FieldDescriptor& field, const void* member) {
  if (field.shape == FieldShape::kPlain) return AppendValue(out, field, member);
  const ContainerOps& container = *field.container;
  const size_t size = container.size(member);
  if (field.shape == FieldShape::kOptional) {
    if (size == 0)
      out += "null";
    else
      AppendValue(out, field, container.at(member, 0));
    return;
  }
  out += '[';
  for (size_t i = 0; i < size; ++i) {
    if (i > 0) out += ',';
    AppendValue(out, field, container.at(member, i));
  }
  out += ']';
}

void AppendFields(json::ObjectWriter& writer, std::string& out, const TypeDescriptor& type,
                  const void* object) {
  for (const FieldDescriptor& field : FieldsOf(type)) {
    const void* member = MemberOf(field, object);
    if (field.kind == FieldKind::kUnknownMembers) {
      AppendUnknownMembers(writer, out, As<RawJson>(member));
      continue;
    }
    if (!(field.flags & kAlwaysEncode) && IsZero(field, member)) continue;
    writer.Key(field.json);
    AppendField(out, field, member);
  }
}

}  // namespace internal

std::string EncodeJson(const TypeDescriptor& type, const void* object) {
  std::string out;
  json::ObjectWriter writer(out);
  if (type.resource) {
    writer.Key("apiVersion");
    json::AppendString(out, type.resource->ApiVersion());
    writer.Key("kind");
    json::AppendString(out, type.resource->kind);
  }
  internal::AppendFields(writer, out, type, object);
  writer.End();
  return out;
}

}  // namespace capstan
