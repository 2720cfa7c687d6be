// The difference between two objects as a merge patch (RFC 7386).

#include <capstan/api/object.h>

#include "api/encoder.h"
#include "api/field_access.h"
#include "api/field_compare.h"
#include "api/raw_json_access.h"
#include "base/json/json_text.h"
#include "base/json/json_tree.h"

namespace capstan {
namespace internal {
namespace {

using json::Node;

// Each Diff function appends an object with the members that differ, and says whether there are
// any.

bool Same(const Node& a, const Node& b) {
  std::string text_a, text_b;
  json::AppendNode(text_a, a);
  json::AppendNode(text_b, b);
  return text_a == text_b;
}

// Only carried parts that differ in meaning get here; members that are written otherwise but mean
// the same do no harm.
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

bool DiffStringMap(std::string& out, const StringMap& from, const StringMap& to) {
  json::ObjectWriter writer(out);
  for (const auto& entry : from) {
    if (to.Contains(entry.key)) continue;
    writer.Key(entry.key.view());
    out += "null";
  }
  for (const auto& entry : to) {
    const std::string* old = from.Find(entry.key);
    if (old && *old == entry.value) continue;
    writer.Key(entry.key.view());
    json::AppendString(out, entry.value);
  }
  return writer.End();
}

void DiffFields(json::ObjectWriter& writer, std::string& out, const TypeDescriptor& type,
                const void* from, const void* to);

bool DiffObject(std::string& out, const TypeDescriptor& type, const void* from, const void* to) {
  json::ObjectWriter writer(out);
  DiffFields(writer, out, type, from, to);
  return writer.End();
}

// Two values that are both there, of a kind whose members are diffed one by one.
bool DiffMembers(std::string& out, const FieldDescriptor& field, const void* from, const void* to) {
  switch (field.kind) {
    case FieldKind::kObject:
      return DiffObject(out, field.nested(), from, to);
    case FieldKind::kStringMap:
      return DiffStringMap(out, As<StringMap>(from), As<StringMap>(to));
    default:
      return DiffRawJson(out, As<RawJson>(from), As<RawJson>(to));
  }
}

bool HasMembers(FieldKind kind) {
  return kind == FieldKind::kObject || kind == FieldKind::kStringMap || kind == FieldKind::kRawJson;
}

// Appends what makes the field's `from` into `to`, which differ. False when there is nothing to do.
bool DiffField(std::string& out, const FieldDescriptor& field, const void* from, const void* to) {
  const bool has_from = !IsZero(field, from);
  const bool has_to = !IsZero(field, to);
  if (HasMembers(field.kind) && has_from && field.shape == FieldShape::kPlain) {
    // A struct or map is never removed as a whole: it may have members that are not described.
    if (has_to || field.kind != FieldKind::kRawJson) return DiffMembers(out, field, from, to);
  }
  if (HasMembers(field.kind) && has_from && has_to && field.shape == FieldShape::kOptional) {
    return DiffMembers(out, field, field.container->at(from, 0), field.container->at(to, 0));
  }
  if (has_to || (field.flags & kAlwaysEncode))
    AppendField(out, field, to);
  else
    out += "null";
  return true;
}

void DiffFields(json::ObjectWriter& writer, std::string& out, const TypeDescriptor& type,
                const void* from, const void* to) {
  for (const FieldDescriptor& field : FieldsOf(type)) {
    const void* old_member = MemberOf(field, from);
    const void* new_member = MemberOf(field, to);
    // A filtered list holds only some of the elements: to write it would remove the others.
    if (field.keep || EqualFields(field, old_member, new_member)) continue;
    if (field.kind == FieldKind::kUnknownMembers) {
      const json::Document old_document = RawJsonAccess::ToDocument(As<RawJson>(old_member));
      const json::Document new_document = RawJsonAccess::ToDocument(As<RawJson>(new_member));
      DiffTree(writer, out, old_document.root(), new_document.root());
      continue;
    }
    const size_t mark = writer.Mark();
    writer.Key(field.json);
    if (!DiffField(out, field, old_member, new_member)) writer.TakeBack(mark);
  }
}

}  // namespace
}  // namespace internal

std::string DiffMergePatch(const TypeDescriptor& type, const void* from, const void* to) {
  std::string patch;
  return internal::DiffObject(patch, type, from, to) ? patch : std::string();
}

}  // namespace capstan
