// The difference between two objects as a merge patch (RFC 7386).

#include <capstan/api/object.h>

#include <string>

#include <capstan/runtime/format.h>

#include "api/encoder.h"
#include "api/field_access.h"
#include "api/field_compare.h"
#include "api/field_node.h"
#include "api/raw_json_access.h"
#include "base/json/json_text.h"
#include "base/json/json_tree.h"

namespace capstan {
namespace internal {
namespace {

using json::Node;

using Keep = FieldNode::Keep;

// What is kept of the two objects, or of two parts of them; null: all.
struct RetainedFields {
  const FieldNode* from = nullptr;
  const FieldNode* to = nullptr;

  bool Any(const FieldDescriptor& field) const {
    return KeepOf(from, field) != Keep::kNone && KeepOf(to, field) != Keep::kNone;
  }
  bool All(const FieldDescriptor& field) const {
    return KeepOf(from, field) == Keep::kAll && KeepOf(to, field) == Keep::kAll;
  }
  RetainedFields Below(const FieldDescriptor& field) const {
    return {NestedOf(from, field), NestedOf(to, field)};
  }
  bool HasKey(const FieldDescriptor& field, std::string_view key) const {
    const auto has = [&](const FieldNode* node) {
      const FieldNode::Field* part = PartOf(node, field);
      return !part || KeepsKey(*part, key);
    };
    return has(from) && has(to);
  }
};

RetainedFields RetainedFieldsOf(const TypeDescriptor& type, const void* from, const void* to) {
  if (!type.resource) return {};
  return {MetadataOf(type, from).kept.node(), MetadataOf(type, to).kept.node()};
}

// Each Diff function appends an object with the members that differ, and returns whether there are
// any.

bool Same(const Node& a, const Node& b) {
  std::string text_a, text_b;
  json::AppendNode(text_a, a);
  json::AppendNode(text_b, b);
  return text_a == text_b;
}

// Only carried parts with different meanings get here. Members with another notation but the same
// meaning do no harm.
void DiffTree(json::ObjectWriter& writer, std::string& out, const Node& from, const Node& to) {
  for (const Node& member : from.children) {
    if (to.Find(member.key)) continue;
    writer.Key(member.key);
    out += "null";
  }
  for (const Node& member : to.children) {
    const Node* old = from.Find(member.key);
    if (old && Same(*old, member)) continue;
    writer.Key(member.key);
    if (old && old->IsObject() && member.IsObject()) {
      json::ObjectWriter nested(out);
      DiffTree(nested, out, *old, member);
      nested.End();
    } else {
      json::AppendNode(out, member);
    }
  }
}

bool DiffRawJson(std::string& out, const RawJson& from, const RawJson& to) {
  const json::Document old_document = RawJsonAccess::ToDocument(from);
  const json::Document new_document = RawJsonAccess::ToDocument(to);
  const Node& a = old_document.root();
  const Node& b = new_document.root();
  if (!a.IsObject() || !b.IsObject()) {
    json::AppendNode(out, b);
    return true;
  }
  json::ObjectWriter writer(out);
  DiffTree(writer, out, a, b);
  return writer.End();
}

bool DiffStringMap(std::string& out, const FieldDescriptor& field, const StringMap& from,
                   const StringMap& to, const RetainedFields& kept) {
  json::ObjectWriter writer(out);
  for (const auto& entry : from) {
    if (to.Contains(entry.key) || !kept.HasKey(field, entry.key)) continue;
    writer.Key(entry.key.view());
    out += "null";
  }
  for (const auto& entry : to) {
    const std::string* old = from.Find(entry.key);
    if ((old && *old == entry.value) || !kept.HasKey(field, entry.key)) continue;
    writer.Key(entry.key.view());
    json::AppendString(out, entry.value);
  }
  return writer.End();
}

void DiffFields(json::ObjectWriter& writer, std::string& out, const TypeDescriptor& type,
                const void* from, const void* to, const RetainedFields& kept);

bool DiffObject(std::string& out, const TypeDescriptor& type, const void* from, const void* to,
                const RetainedFields& kept) {
  json::ObjectWriter writer(out);
  DiffFields(writer, out, type, from, to, kept);
  return writer.End();
}

// Diffs two values that are both present, of a kind whose members are compared one by one.
bool DiffMembers(std::string& out, const FieldDescriptor& field, const void* from, const void* to,
                 const RetainedFields& kept) {
  switch (field.kind) {
    case FieldKind::kObject:
      return DiffObject(out, field.nested(), from, to, kept.Below(field));
    case FieldKind::kStringMap:
      return DiffStringMap(out, field, As<StringMap>(from), As<StringMap>(to), kept);
    default:
      return DiffRawJson(out, As<RawJson>(from), As<RawJson>(to));
  }
}

bool HasMembers(FieldKind kind) {
  return kind == FieldKind::kObject || kind == FieldKind::kStringMap || kind == FieldKind::kRawJson;
}

// Appends the patch of a field from `from` to `to`, which differ. Returns false if nothing is
// needed.
bool DiffField(std::string& out, const FieldDescriptor& field, const void* from, const void* to,
               const RetainedFields& kept) {
  const bool has_from = !IsZero(field, from);
  const bool has_to = !IsZero(field, to);
  if (HasMembers(field.kind) && has_from && field.shape == FieldShape::kPlain) {
    // A struct or map is never removed as a whole: it may have members that are not described.
    if (has_to || field.kind != FieldKind::kRawJson) {
      return DiffMembers(out, field, from, to, kept);
    }
  }
  if (HasMembers(field.kind) && has_from && has_to && field.shape == FieldShape::kOptional) {
    return DiffMembers(out, field, field.container->at(from, 0), field.container->at(to, 0), kept);
  }
  if (has_to || (field.flags & kAlwaysEncode))
    AppendField(out, field, to);
  else
    out += "null";
  return true;
}

// Like DiffField, for a field of which one of the objects keeps only a part.
bool DiffPart(std::string& out, const FieldDescriptor& field, const void* from, const void* to,
              const RetainedFields& kept) {
  // The other elements of the list are not known.
  if (field.shape == FieldShape::kList) return false;
  if (field.shape == FieldShape::kPlain) return DiffMembers(out, field, from, to, kept);
  if (field.container->size(to) == 0) return false;
  const void* new_value = field.container->at(to, 0);
  if (field.container->size(from) > 0) {
    return DiffMembers(out, field, field.container->at(from, 0), new_value, kept);
  }
  DiffMembers(out, field, NewObject(field.nested()).get(), new_value, kept);
  return true;
}

void DiffFields(json::ObjectWriter& writer, std::string& out, const TypeDescriptor& type,
                const void* from, const void* to, const RetainedFields& kept) {
  for (const FieldDescriptor& field : FieldsOf(type)) {
    if (!kept.Any(field)) continue;
    const void* old_member = MemberOf(field, from);
    const void* new_member = MemberOf(field, to);
    if ((field.flags & kReadOnly) || EqualFields(field, old_member, new_member)) continue;
    if (field.kind == FieldKind::kUnknownMembers) {
      const json::Document old_document = RawJsonAccess::ToDocument(As<RawJson>(old_member));
      const json::Document new_document = RawJsonAccess::ToDocument(As<RawJson>(new_member));
      DiffTree(writer, out, old_document.root(), new_document.root());
      continue;
    }
    const size_t mark = writer.Mark();
    writer.Key(field.json);
    const bool differs = kept.All(field) ? DiffField(out, field, old_member, new_member, kept)
                                         : DiffPart(out, field, old_member, new_member, kept);
    if (!differs) writer.Rewind(mark);
  }
}

// The path of a field that differs outside of the fields that the two objects keep; "" if there is
// none. Both objects keep the same fields.
std::string DifferenceBeyond(const FieldNode* kept, const TypeDescriptor& type, const void* from,
                             const void* to);

std::string DifferenceBeyond(const FieldNode::Field& part, const FieldDescriptor& field,
                             const void* from, const void* to) {
  if (EqualFields(field, from, to)) return {};
  if (field.shape == FieldShape::kList) return field.json;
  if (field.kind == FieldKind::kStringMap) {
    for (const auto& entry : As<StringMap>(to)) {
      if (!KeepsKey(part, entry.key)) return Format("{}[{}]", field.json, entry.key);
    }
    return {};
  }
  if (field.shape == FieldShape::kOptional) {
    if (field.container->size(to) == 0) return field.json;
    if (field.container->size(from) == 0) return {};
    from = field.container->at(from, 0);
    to = field.container->at(to, 0);
  }
  const std::string below = DifferenceBeyond(part.nested.get(), field.nested(), from, to);
  return below.empty() ? below : Format("{}.{}", field.json, below);
}

std::string DifferenceBeyond(const FieldNode* kept, const TypeDescriptor& type, const void* from,
                             const void* to) {
  if (!kept) return {};
  for (const FieldDescriptor& field : FieldsOf(type)) {
    const Keep keep = KeepOf(kept, field);
    if (keep == Keep::kAll) continue;
    const void* old_member = MemberOf(field, from);
    const void* new_member = MemberOf(field, to);
    if (keep == Keep::kPart) {
      std::string path = DifferenceBeyond(*PartOf(kept, field), field, old_member, new_member);
      if (!path.empty()) return path;
    } else if (!EqualFields(field, old_member, new_member)) {
      return field.json;
    }
  }
  return {};
}

}  // namespace
}  // namespace internal

std::string DiffMergePatch(const TypeDescriptor& type, const void* from, const void* to) {
  std::string patch;
  const internal::RetainedFields kept = internal::RetainedFieldsOf(type, from, to);
  return internal::DiffObject(patch, type, from, to, kept) ? patch : std::string();
}

Status CheckDifferenceIsKept(const TypeDescriptor& type, const void* from, const void* to) {
  const internal::RetainedFields kept = internal::RetainedFieldsOf(type, from, to);
  // If the objects keep different fields, intended changes cannot be recognised.
  if (kept.from != kept.to) return Status::Ok();
  const std::string path = internal::DifferenceBeyond(kept.to, type, from, to);
  if (path.empty()) return Status::Ok();
  return Status::InvalidArgument(
      Format("{} {}: {} was changed, but is not among the fields that are read: declare it with "
             "PluginContext::Reads",
             type.resource->kind, api::NameOf(MetadataOf(type, to)), path));
}

}  // namespace capstan
