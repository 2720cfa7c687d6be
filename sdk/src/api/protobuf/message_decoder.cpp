#include "api/protobuf/message_decoder.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <capstan/api/object.h>

#include "api/decoded_fields.h"
#include "api/field_access.h"
#include "api/field_node.h"
#include "api/protobuf/scalars.h"
#include "api/scalar.h"
#include "base/json/json_text.h"
#include "base/protobuf/wire_reader.h"

namespace capstan::protobuf {
namespace {

using internal::As;
using internal::FieldNode;
using internal::MemberOf;

// Longer keys are omitted from messages. No valid label key is as long.
constexpr size_t kMaxQuotedKey = 320;

// The metadata of all kinds is field 1. Types with metadata only need not say so.
uint16_t NumberOf(const TypeDescriptor& type, const FieldDescriptor& field) {
  const bool is_metadata = field.number == 0 && field.kind == FieldKind::kObject && type.resource &&
                           type.resource->metadata_only && field.offset == type.metadata_offset;
  return is_metadata ? 1 : field.number;
}

WireType WireTypeOf(FieldKind kind) {
  const bool integer =
      kind == FieldKind::kBool || kind == FieldKind::kInt32 || kind == FieldKind::kInt64;
  return integer ? WireType::kVarint : WireType::kBytes;
}

// Recursion is as deep as descriptors nest: no described type contains itself.
class MessageDecoder {
 public:
  bool Object(const TypeDescriptor& type, std::string_view message, void* object,
              const FieldNode* kept);
  Status TakeError() const { return Status::Malformed(path_.empty() ? why_ : path_ + ": " + why_); }

 private:
  // An object that is being decoded.
  struct Frame {
    const TypeDescriptor& type;
    void* object;
    const FieldNode* kept;  // null: all
    size_t first_entry;     // in entries_
    uint32_t hint = 0;      // the index of the field that probably comes next
    bool boxed = false;     // a box was allocated
  };
  struct Entry {
    const FieldDescriptor* field;
    std::string_view key;
    std::string_view value;
  };

  bool Fields(Frame& frame, std::string_view message, uint16_t within);
  bool Inlined(Frame& frame, WireReader& reader);
  bool Field(Frame& frame, const FieldDescriptor& field, WireReader& reader);
  bool ListElement(Frame& frame, const FieldDescriptor& field, WireReader& reader);
  bool MapEntry(Frame& frame, const FieldDescriptor& field, std::string_view message);
  bool Value(const FieldDescriptor& field, const FieldNode* kept, WireReader& reader, void* slot);
  void Finish(Frame& frame);
  void FinishMap(Frame& frame, const FieldDescriptor& field);

  bool Fail(std::string_view why) {
    why_ = why;
    return false;
  }
  bool FailAt(const std::string& segment) {
    path_ = path_.empty() ? segment : segment + "." + path_;
    return false;
  }

  std::vector<Entry> entries_;  // of the maps of all open objects
  std::vector<std::pair<std::string_view, std::string_view>> map_;
  std::string why_;
  std::string path_;
};

// The field with this number, or null. The server writes fields in the order of their numbers, as
// most tables list them.
const FieldDescriptor* FindField(const TypeDescriptor& type, uint16_t within, uint32_t number,
                                 uint32_t& hint) {
  for (uint32_t i = 0; i < type.field_count; ++i) {
    const uint32_t index = hint + i < type.field_count ? hint + i : hint + i - type.field_count;
    const FieldDescriptor& field = type.fields[index];
    if (field.within != within || NumberOf(type, field) != number) continue;
    hint = index;
    return &field;
  }
  return nullptr;
}

bool MessageDecoder::Object(const TypeDescriptor& type, std::string_view message, void* object,
                            const FieldNode* kept) {
  Frame frame{type, object, kept, entries_.size()};
  const bool good = Fields(frame, message, 0);
  if (good) Finish(frame);
  entries_.resize(frame.first_entry);
  return good;
}

// `within` is the number of the inlined message that contains the fields, or 0.
bool MessageDecoder::Fields(Frame& frame, std::string_view message, uint16_t within) {
  WireReader reader(message);
  while (reader.Next()) {
    const FieldDescriptor* field = FindField(frame.type, within, reader.number(), frame.hint);
    if (!field) {
      if (within == 0 && !Inlined(frame, reader)) return false;
    } else if (internal::KeepOf(frame.kept, *field) != FieldNode::Keep::kNone) {
      if (!Field(frame, *field, reader)) return false;
    }
  }
  return reader.error().empty() || Fail(reader.error());
}

// Reads a message whose fields JSON inlines; skips all other messages.
bool MessageDecoder::Inlined(Frame& frame, WireReader& reader) {
  const auto fields = internal::FieldsOf(frame.type);
  const bool inlined = std::ranges::any_of(
      fields, [&](const FieldDescriptor& field) { return field.within == reader.number(); });
  if (!inlined) return true;
  return Fields(frame, reader.Bytes(), static_cast<uint16_t>(reader.number()));
}

bool MessageDecoder::Field(Frame& frame, const FieldDescriptor& field, WireReader& reader) {
  if (reader.type() != WireTypeOf(field.kind)) {
    Fail(internal::Mismatch(internal::ExpectedFor(field.kind), NameOf(reader.type())).message());
    return FailAt(field.json);
  }
  if (field.kind == FieldKind::kStringMap) {
    return MapEntry(frame, field, reader.Bytes()) || FailAt(field.json);
  }
  if (field.shape == FieldShape::kList) return ListElement(frame, field, reader);
  if (field.box) {
    // The server also writes zero values. They need no box.
    void* box = static_cast<char*>(frame.object) + field.box_offset;
    const bool zero =
        reader.type() == WireType::kVarint ? reader.Integer() == 0 : reader.Bytes().empty();
    if (field.shape == FieldShape::kPlain && zero && !field.box->allocated(box)) return true;
    frame.boxed = true;
  }
  void* member = MemberOf(field, frame.object);
  void* slot = field.shape == FieldShape::kOptional ? field.container->append(member) : member;
  return Value(field, internal::NestedOf(frame.kept, field), reader, slot) || FailAt(field.json);
}

bool MessageDecoder::ListElement(Frame& frame, const FieldDescriptor& field, WireReader& reader) {
  frame.boxed |= field.box != nullptr;
  void* list = MemberOf(field, frame.object);
  void* slot = field.container->append(list);
  if (!Value(field, internal::NestedOf(frame.kept, field), reader, slot)) {
    const size_t index = field.container->size(list) - 1;
    return FailAt(field.json + ("[" + std::to_string(index) + "]"));
  }
  internal::DropUnlessKept(field, internal::PartOf(frame.kept, field), list);
  return true;
}

bool MessageDecoder::MapEntry(Frame& frame, const FieldDescriptor& field,
                              std::string_view message) {
  Entry entry{&field, {}, {}};
  WireReader reader(message);
  while (reader.Next()) {
    if (reader.number() == 1) entry.key = reader.Bytes();
    if (reader.number() == 2) entry.value = reader.Bytes();
  }
  if (!reader.error().empty()) return Fail(reader.error());
  const FieldNode::Field* part = internal::PartOf(frame.kept, field);
  if (part && !internal::KeepsKey(*part, entry.key)) return true;
  Status status;
  if (field.flags & kQuantity) status = ReadQuantity(entry.value, entry.value);
  const bool valid = json::IsValidUtf8(entry.key) && json::IsValidUtf8(entry.value);
  if (status.ok() && !valid) status = Status::Malformed("not valid UTF-8");
  if (status.ok()) {
    entries_.push_back(entry);
    return true;
  }
  Fail(status.message());
  const bool quotable = entry.key.size() <= kMaxQuotedKey && json::IsValidUtf8(entry.key);
  return FailAt(quotable ? std::string(entry.key) : "?");
}

bool MessageDecoder::Value(const FieldDescriptor& field, const FieldNode* kept, WireReader& reader,
                           void* slot) {
  if (field.kind == FieldKind::kObject) return Object(field.nested(), reader.Bytes(), slot, kept);
  const Status status = ReadScalar(field, reader, slot);
  return status.ok() || Fail(status.message());
}

void MessageDecoder::Finish(Frame& frame) {
  for (const FieldDescriptor& field : internal::FieldsOf(frame.type)) {
    if (field.kind == FieldKind::kStringMap) {
      FinishMap(frame, field);
    } else if (field.shape == FieldShape::kList) {
      const void* box = static_cast<char*>(frame.object) + field.box_offset;
      if (field.box && !field.box->allocated(box)) continue;
      internal::FinishList(field, MemberOf(field, frame.object));
    }
  }
  if (frame.boxed) internal::ResetZeroBoxes(frame.type, frame.object);
}

void MessageDecoder::FinishMap(Frame& frame, const FieldDescriptor& field) {
  map_.clear();
  for (size_t i = frame.first_entry; i < entries_.size(); ++i) {
    if (entries_[i].field == &field) map_.emplace_back(entries_[i].key, entries_[i].value);
  }
  if (map_.empty()) return;
  frame.boxed |= field.box != nullptr;
  internal::AssignMap(field, internal::PartOf(frame.kept, field), map_,
                      As<StringMap>(MemberOf(field, frame.object)));
}

// Whether protobuf has all that is kept.
bool HasNumbers(const TypeDescriptor& type, const FieldNode* kept) {
  const auto fields = internal::FieldsOf(type);
  return std::ranges::all_of(fields, [&](const FieldDescriptor& field) {
    if (internal::KeepOf(kept, field) == FieldNode::Keep::kNone) return true;
    if (NumberOf(type, field) == 0 || field.kind == FieldKind::kRawJson) return false;
    if (field.kind == FieldKind::kStringMap) return field.shape == FieldShape::kPlain;
    return field.kind != FieldKind::kObject ||
           HasNumbers(field.nested(), internal::NestedOf(kept, field));
  });
}

std::string TextIn(std::string_view bytes) {
  return json::IsValidUtf8(bytes) ? std::string(bytes) : std::string();
}

}  // namespace

bool TravelsAsProtobuf(const TypeDescriptor& type, const FieldSet& fields) {
  if (!type.resource || !type.resource->metadata_only) return HasNumbers(type, fields.node());
  // The server sends nothing else than the metadata.
  const auto all = internal::FieldsOf(type);
  return std::ranges::all_of(all, [&](const FieldDescriptor& field) {
    return field.offset != type.metadata_offset || field.box ||
           HasNumbers(field.nested(), internal::NestedOf(fields.node(), field));
  });
}

Status DecodeMessage(const TypeDescriptor& type, std::string_view message, void* object,
                     const FieldSet& fields) {
  MessageDecoder decoder;
  if (!decoder.Object(type, message, object, fields.node())) return decoder.TakeError();
  if (type.resource) {
    As<api::ObjectMeta>(static_cast<char*>(object) + type.metadata_offset).kept = fields;
  }
  return Status::Ok();
}

ObjectIdentity IdentityIn(std::string_view message) {
  ObjectIdentity identity;
  WireReader object(message);
  while (object.Next()) {
    if (object.number() != 1) continue;
    WireReader metadata(object.Bytes());
    while (metadata.Next()) {
      if (metadata.number() == 1) identity.name.name = TextIn(metadata.Bytes());
      if (metadata.number() == 3) identity.name.namespace_ = TextIn(metadata.Bytes());
      if (metadata.number() == 6) identity.resource_version = TextIn(metadata.Bytes());
    }
  }
  return identity;
}

}  // namespace capstan::protobuf
