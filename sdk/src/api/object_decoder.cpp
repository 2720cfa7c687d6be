#include "api/object_decoder.h"

#include <type_traits>
#include <utility>

#include <capstan/api/object.h>

#include "api/decoded_fields.h"
#include "api/field_access.h"
#include "api/hashing.h"
#include "api/raw_json_access.h"
#include "api/recent_parts.h"
#include "base/json/json_text.h"

namespace capstan {
namespace {

using internal::As;
using internal::MemberOf;

constexpr size_t kMaxFrames = 1000;
// Looking for a shorter carried part costs as much as decoding it.
constexpr size_t kWorthSharing = 256;
// Longer names are omitted from messages. No valid label key is as long.
constexpr size_t kMaxQuoted = 320;

bool IsNamed(const FieldDescriptor& field, std::string_view name) {
  // A fast path: names are compared for every member, and the first byte decides most comparisons.
  return !name.empty() && field.json[0] == name[0] && name == field.json;
}

void ResetValue(const FieldDescriptor& field, void* slot) {
  if (field.kind == FieldKind::kObject) {
    const TypeDescriptor& nested = field.nested();
    nested.destroy(slot);
    nested.construct(slot);
    return;
  }
  internal::VisitValue(field.kind, slot, [](const auto& value) {
    using Value = std::remove_cvref_t<decltype(value)>;
    const_cast<Value&>(value) = Value{};
  });
}

}  // namespace

void ObjectDecoder::Start(const TypeDescriptor& type, void* object, const FieldSet& fields) {
  root_type_ = &type;
  root_ = object;
  fields_ = fields;
  mode_ = Mode::kDecode;
  skip_next_ = done_ = in_metadata_ = false;
  depth_ = 0;
  frames_.clear();
  carried_ = json::TreeBuilder();
  carried_part_.Clear();
  status_ = Status::Ok();
  spot_ = nullptr;
  for (std::string_view& text : spotted_) text = {};
}

// --- Events ---

bool ObjectDecoder::Null() {
  if (mode_ == Mode::kCarry) return Carry([](auto& carried) { return carried.Null(); });
  OnScalar({Scalar::Kind::kNull, false, "null"});
  return true;
}

bool ObjectDecoder::Bool(bool value) {
  if (mode_ == Mode::kCarry) return Carry([=](auto& carried) { return carried.Bool(value); });
  OnScalar({Scalar::Kind::kBool, value, value ? "true" : "false"});
  return true;
}

bool ObjectDecoder::Number(std::string_view text) {
  if (mode_ == Mode::kCarry) return Carry([=](auto& carried) { return carried.Number(text); });
  OnScalar({Scalar::Kind::kNumber, false, text});
  return true;
}

bool ObjectDecoder::String(std::string_view text) {
  if (mode_ == Mode::kCarry) return Carry([=](auto& carried) { return carried.String(text); });
  if (spot_) *spot_ = text;
  OnScalar({Scalar::Kind::kString, false, text});
  return true;
}

bool ObjectDecoder::Key(std::string_view text) {
  if (mode_ == Mode::kCarry) return Carry([=](auto& carried) { return carried.Key(text); });
  if (depth_ <= 2) Spot(text);
  if (mode_ != Mode::kDecode) return true;
  Frame& frame = frames_.back();
  if (frame.kind == Frame::Kind::kObject) {
    OnKeyOfObject(frame, text);
  } else {
    frame.key = text;
    skip_next_ = frame.part && !internal::KeepsKey(*frame.part, text);
  }
  return true;
}

bool ObjectDecoder::StartObject() { return OnOpen(true); }
bool ObjectDecoder::StartArray() { return OnOpen(false); }
bool ObjectDecoder::EndObject() {
  OnClose();
  return true;
}
bool ObjectDecoder::EndArray() {
  OnClose();
  return true;
}

void ObjectDecoder::Spot(std::string_view key) {
  spot_ = nullptr;
  if (depth_ == 1) in_metadata_ = key == "metadata";
  if (depth_ != 2 || !in_metadata_) return;
  static constexpr std::string_view kSpotted[] = {"name", "namespace", "resourceVersion"};
  for (size_t i = 0; i < 3; ++i) {
    if (key == kSpotted[i]) spot_ = &spotted_[i];
  }
}

void ObjectDecoder::OnKeyOfObject(Frame& frame, std::string_view text) {
  const FieldDescriptor* unknown = nullptr;
  frame.field = nullptr;
  for (const FieldDescriptor& field : internal::FieldsOf(*frame.type)) {
    if (field.kind == FieldKind::kUnknownMembers) unknown = &field;
    if (!IsNamed(field, text)) continue;
    frame.field = &field;
    skip_next_ = internal::KeepOf(frame.kept, field) == internal::FieldNode::Keep::kNone;
    return;
  }
  skip_next_ =
      !unknown || internal::KeepOf(frame.kept, *unknown) == internal::FieldNode::Keep::kNone;
  if (skip_next_) return;
  frame.field = frame.unknown_field = unknown;
  carry_key_ = text;
}

void ObjectDecoder::OnScalar(const Scalar& scalar) {
  spot_ = nullptr;
  if (mode_ == Mode::kFailed) done_ = depth_ == 0;
  if (mode_ != Mode::kDecode) return;
  if (std::exchange(skip_next_, false)) return;
  const std::string_view found = internal::NameOf(scalar.kind);
  if (frames_.empty()) {
    done_ = true;
    return Mismatch("an object", found);
  }
  Frame& frame = frames_.back();
  if (frame.kind == Frame::Kind::kMap) return OnScalarOfMap(frame, scalar);
  const FieldDescriptor& field = *frame.field;
  if (field.kind == FieldKind::kUnknownMembers) {
    BeginCarry(nullptr, carry_key_);
    return CarryScalar(scalar);
  }
  if (scalar.kind == Scalar::Kind::kNull) {
    if (frame.kind == Frame::Kind::kObject) return ResetIfSeen(frame);
    field.container->append(frame.value);
    return EndOfElement();
  }
  void* slot = Slot(frame, found);
  if (!slot) return;
  if (field.kind == FieldKind::kRawJson) {
    BeginCarry(static_cast<RawJson*>(slot), {});
    return CarryScalar(scalar);
  }
  if (Status status = internal::AssignScalar(field.kind, slot, scalar); !status.ok()) {
    return Fail(status.message());
  }
  if (frame.kind == Frame::Kind::kList) EndOfElement();
}

void ObjectDecoder::OnScalarOfMap(Frame& frame, const Scalar& scalar) {
  const bool is_null = scalar.kind == Scalar::Kind::kNull;
  if (!is_null && scalar.kind != Scalar::Kind::kString) {
    return Mismatch("a string", internal::NameOf(scalar.kind));
  }
  const std::string_view value = is_null ? std::string_view() : scalar.text;
  if (!json::IsValidUtf8(value) || !json::IsValidUtf8(frame.key)) return Fail("not valid UTF-8");
  map_entries_.emplace_back(frame.key, value);
}

void ObjectDecoder::CarryScalar(const Scalar& scalar) {
  switch (scalar.kind) {
    case Scalar::Kind::kNull:
      Null();
      break;
    case Scalar::Kind::kBool:
      Bool(scalar.flag);
      break;
    case Scalar::Kind::kNumber:
      Number(scalar.text);
      break;
    case Scalar::Kind::kString:
      String(scalar.text);
      break;
  }
  if (mode_ == Mode::kCarry) EndCarry();
}

bool ObjectDecoder::OnOpen(bool is_object) {
  spot_ = nullptr;
  const size_t outer_depth = depth_++;
  const auto carry = [&] {
    return Carry(
        [=](auto& carried) { return is_object ? carried.StartObject() : carried.StartArray(); });
  };
  if (mode_ == Mode::kCarry) return carry();
  if (mode_ != Mode::kDecode) return true;
  if (std::exchange(skip_next_, false)) {
    mode_ = Mode::kSkip;
    mode_depth_ = outer_depth;
    return true;
  }
  const char* found = is_object ? "an object" : "an array";
  if (frames_.empty()) {
    if (is_object)
      PushObject(root_, *root_type_, fields_.node());
    else
      Mismatch("an object", found);
    return true;
  }
  Frame& frame = frames_.back();
  if (frame.kind == Frame::Kind::kMap) {
    Mismatch("a string", found);
    return true;
  }
  const FieldDescriptor& field = *frame.field;
  mode_depth_ = outer_depth;
  if (field.kind == FieldKind::kUnknownMembers) {
    BeginCarry(nullptr, carry_key_);
    return carry();
  }
  if (frame.kind == Frame::Kind::kObject && field.shape == FieldShape::kList && !is_object) {
    ResetIfSeen(frame);
    frame.boxed |= field.box != nullptr;
    PushPart(Frame::Kind::kList, MemberOf(field, frame.value), frame);
    return true;
  }
  void* slot = Slot(frame, found);
  if (!slot) return true;
  if (field.kind == FieldKind::kRawJson) {
    BeginCarry(static_cast<RawJson*>(slot), {});
    return carry();
  }
  if (is_object && field.kind == FieldKind::kObject) {
    const internal::FieldNode* kept = frame.kind == Frame::Kind::kList
                                          ? (frame.part ? frame.part->nested.get() : nullptr)
                                          : internal::NestedOf(frame.kept, field);
    PushObject(slot, field.nested(), kept);
  } else if (is_object && field.kind == FieldKind::kStringMap) {
    map_entries_.clear();
    PushPart(Frame::Kind::kMap, slot, frame);
  } else {
    Mismatch(internal::ExpectedFor(field.kind), found);
  }
  return true;
}

void ObjectDecoder::OnClose() {
  --depth_;
  switch (mode_) {
    case Mode::kFailed:
      done_ = depth_ == 0;
      return;
    case Mode::kSkip:
      if (depth_ == mode_depth_) mode_ = Mode::kDecode;
      return;
    case Mode::kCarry:
      Carry(
          [](auto& carried) { return carried.EndObject(); });  // or of an array, which is the same
      if (depth_ == mode_depth_) EndCarry();
      return;
    case Mode::kDecode:
      EndOfFrame();
  }
}

// --- Frames ---

// Returns null on failure.
ObjectDecoder::Frame* ObjectDecoder::Push(Frame::Kind kind, void* value) {
  if (frames_.size() == kMaxFrames) {
    Fail("nested too deeply");
    return nullptr;
  }
  Frame& frame = frames_.emplace_back();
  frame.kind = kind;
  frame.value = value;
  return &frame;
}

void ObjectDecoder::PushObject(void* value, const TypeDescriptor& type,
                               const internal::FieldNode* kept) {
  Frame* frame = Push(Frame::Kind::kObject, value);
  if (!frame) return;
  frame->type = &type;
  frame->kept = kept;
}

// Pushes the list or map that is the current member of `around`.
void ObjectDecoder::PushPart(Frame::Kind kind, void* value, const Frame& around) {
  const FieldDescriptor* field = around.field;
  const bool of_object = around.kind == Frame::Kind::kObject;
  const internal::FieldNode::Field* part =
      of_object ? internal::PartOf(around.kept, *field) : nullptr;
  Frame* frame = Push(kind, value);
  if (!frame) return;
  frame->field = field;
  frame->part = part;
}

void ObjectDecoder::EndOfFrame() {
  Frame& frame = frames_.back();
  switch (frame.kind) {
    case Frame::Kind::kObject:
      if (frame.unknown) {
        frame.boxed |= frame.unknown_field->box != nullptr;
        As<RawJson>(MemberOf(*frame.unknown_field, frame.value)) =
            RawJsonAccess::FromNode(*frame.unknown);
      }
      // The decoded members may all be zero values.
      if (frame.boxed) internal::ResetZeroBoxes(*frame.type, frame.value);
      break;
    case Frame::Kind::kList:
      internal::FinishList(*frame.field, frame.value);
      break;
    case Frame::Kind::kMap:
      FinishMap(frame);
      break;
  }
  frames_.pop_back();
  if (frames_.empty()) {
    done_ = true;
    if (root_type_->resource) {
      As<api::ObjectMeta>(static_cast<char*>(root_) + root_type_->metadata_offset).kept = fields_;
    }
  } else if (frames_.back().kind == Frame::Kind::kList) {
    EndOfElement();
  }
}

void ObjectDecoder::FinishMap(Frame& frame) {
  internal::AssignMap(*frame.field, frame.part, map_entries_, As<StringMap>(frame.value));
}

void ObjectDecoder::EndOfElement() {
  const Frame& frame = frames_.back();
  internal::DropUnlessKept(*frame.field, frame.part, frame.value);
}

void ObjectDecoder::ResetIfSeen(Frame& frame) {
  const auto index = static_cast<size_t>(frame.field - frame.type->fields);
  const uint64_t bit = index < 64 ? uint64_t{1} << index : 0;
  const bool seen = bit == 0 || (frame.seen & bit);
  frame.seen |= bit;
  if (!seen) return;
  const FieldDescriptor& field = *frame.field;
  void* member = MemberOf(field, frame.value);
  if (field.shape == FieldShape::kPlain) return ResetValue(field, member);
  while (field.container->size(member) > 0) field.container->pop(member);
}

void* ObjectDecoder::Slot(Frame& frame, std::string_view found) {
  const FieldDescriptor& field = *frame.field;
  if (frame.kind == Frame::Kind::kList) return field.container->append(frame.value);
  if (field.shape == FieldShape::kList) {
    Mismatch("an array", found);
    return nullptr;
  }
  ResetIfSeen(frame);
  frame.boxed |= field.box != nullptr;
  void* member = MemberOf(field, frame.value);
  return field.shape == FieldShape::kPlain ? member : field.container->append(member);
}

template <class Event>
bool ObjectDecoder::Carry(const Event& event) {
  if (carry_target_) return event(carried_part_);
  if (!event(carried_)) Fail(carried_.status().message());
  return true;
}

void ObjectDecoder::BeginCarry(RawJson* target, std::string_view key) {
  mode_ = Mode::kCarry;
  carry_target_ = target;
  carry_key_ = key;
}

// Values of a field of one name resemble each other in an object and in the objects that it
// controls, e.g. the templates of a Deployment and of its ReplicaSets. 0 if the metadata, which
// servers write first, is not known yet.
uint64_t ObjectDecoder::FamilyOfCarried() const {
  if (!root_type_->resource) return 0;
  const auto& metadata =
      As<api::ObjectMeta>(static_cast<const char*>(root_) + root_type_->metadata_offset);
  const api::OwnerReference* controller = api::ControllerOf(metadata);
  const Uid& uid = controller ? controller->uid : metadata.uid;
  if (uid.empty()) return 0;
  return internal::Combine(uid.hash(), internal::HashText(frames_.back().field->json));
}

void ObjectDecoder::EndCarry() {
  mode_ = Mode::kDecode;
  if (carry_target_) return EndCarriedPart();
  json::Node node = carried_.Take();
  Frame& frame = frames_.back();
  if (!frame.unknown) {
    frame.unknown = std::make_unique<json::Node>();
    frame.unknown->kind = json::Node::Kind::kObject;
  }
  node.key = carry_key_;
  frame.unknown->children.push_back(std::move(node));
}

void ObjectDecoder::EndCarriedPart() {
  // Never destroyed: threads may still decode while the process exits.
  static auto* const recent = new internal::RecentParts;
  const auto decode = [this]() -> Result<RawJson> {
    Result<json::Node> node = carried_part_.ToTree();
    if (!node) return node.status();
    return RawJsonAccess::Packed(RawJsonAccess::FromNode(*node), FamilyOfCarried());
  };
  const std::string_view events = carried_part_.bytes();
  Result<RawJson> part = events.size() < kWorthSharing ? decode() : recent->Get(events, decode);
  carried_part_.Clear();
  if (!part) return Fail(part.status().message());
  *carry_target_ = *std::move(part);
  if (frames_.back().kind == Frame::Kind::kList) EndOfElement();
}

// --- Errors ---

void ObjectDecoder::Mismatch(std::string_view expected, std::string_view found) {
  Fail(internal::Mismatch(expected, found).message());
}

void ObjectDecoder::Fail(std::string_view why) {
  mode_ = Mode::kFailed;
  const std::string path = Path();
  status_ = Status::Malformed((path.empty() ? "" : path + ": ") + std::string(why));
}

std::string ObjectDecoder::Path() const {
  std::string path;
  const auto add = [&path](std::string_view name) {
    if (!path.empty()) path += '.';
    path += name.size() <= kMaxQuoted && json::IsValidUtf8(name) ? name : "?";
  };
  for (const Frame& frame : frames_) {
    switch (frame.kind) {
      case Frame::Kind::kObject:
        if (!frame.field) break;
        add(frame.field->kind == FieldKind::kUnknownMembers ? carry_key_ : frame.field->json);
        break;
      case Frame::Kind::kList: {
        const size_t size = frame.field->container->size(frame.value);
        path += "[" + std::to_string(size == 0 ? 0 : size - 1) + "]";
        break;
      }
      case Frame::Kind::kMap:
        add(frame.key);
        break;
    }
  }
  return path;
}

}  // namespace capstan
