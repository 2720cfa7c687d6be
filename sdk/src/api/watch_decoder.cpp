#include "api/watch_decoder.h"

#include <optional>
#include <string_view>
#include <utility>

#include "api/object_decoder.h"
#include "base/json/json_tree.h"
#include "base/json/rapidjson.h"

namespace capstan {

std::optional<WatchFrame::Type> WatchTypeNamed(std::string_view name) {
  if (name == "ADDED") return WatchFrame::Type::kAdded;
  if (name == "MODIFIED") return WatchFrame::Type::kModified;
  if (name == "DELETED") return WatchFrame::Type::kDeleted;
  if (name == "BOOKMARK") return WatchFrame::Type::kBookmark;
  if (name == "ERROR") return WatchFrame::Type::kError;
  return std::nullopt;
}

namespace {

// Reads the frame around the object. If the type comes first, as the server writes it, the object
// is decoded directly. Otherwise, and for errors, it is kept as a tree.
class FrameHandler {
 public:
  FrameHandler(const TypeDescriptor& object_type, const FieldSet& fields)
      : object_type_(object_type), fields_(fields) {}

  bool Null() {
    return OnScalar([](auto& target) { return target.Null(); });
  }
  bool Bool(bool value) {
    return OnScalar([=](auto& target) { return target.Bool(value); });
  }
  bool Number(std::string_view text) {
    return OnScalar([=](auto& target) { return target.Number(text); });
  }
  bool String(std::string_view text) {
    if (depth_ == 1 && member_ == Member::kType) {
      type_ = WatchTypeNamed(text);
      if (!type_) return Refuse("unknown type of watch event");
    }
    return OnScalar([=](auto& target) { return target.String(text); });
  }
  bool Key(std::string_view text) {
    if (target_ != Target::kNone) {
      return Forward([=](auto& target) { return target.Key(text); });
    }
    if (depth_ == 1) {
      member_ =
          text == "type" ? Member::kType : (text == "object" ? Member::kObject : Member::kOther);
    }
    return true;
  }
  bool StartObject() {
    return OnOpen([](auto& target) { return target.StartObject(); });
  }
  bool StartArray() {
    return OnOpen([](auto& target) { return target.StartArray(); });
  }
  bool EndObject() {
    return OnClose([](auto& target) { return target.EndObject(); });
  }
  bool EndArray() {
    return OnClose([](auto& target) { return target.EndArray(); });
  }

  const Status& status() const { return status_; }

  // Call it after the whole frame has been read.
  Result<WatchFrame> Finish() {
    if (!type_) return Status::Malformed("a watch event without a type");
    if (!has_object_) return Status::Malformed("a watch event without an object");
    WatchFrame frame;
    frame.type = *type_;
    if (frame.type == WatchFrame::Type::kError) {
      json::AppendNode(frame.error, tree_);
      return frame;
    }
    if (frame.type == WatchFrame::Type::kBookmark) {
      ReadBookmark(frame);
      return frame;
    }
    if (!object_) DecodeTree();
    frame.resource_version = decoder_.resource_version();
    if (!decoder_.status().ok()) {
      frame.malformed = decoder_.status();
      frame.name = {std::string(decoder_.namespace_name()), std::string(decoder_.name())};
    } else {
      frame.object = std::move(object_);
    }
    return frame;
  }

 private:
  enum class Member : uint8_t { kOther, kType, kObject };
  enum class Target : uint8_t { kNone, kDecoder, kTree };

  template <class Event>
  bool Forward(const Event& event) {
    if (target_ == Target::kDecoder) {
      event(decoder_);
      if (decoder_.done()) target_ = Target::kNone;
      return true;
    }
    if (!event(builder_)) {
      status_ = builder_.status();
      return false;
    }
    if (builder_.done()) {
      tree_ = builder_.Take();
      target_ = Target::kNone;
    }
    return true;
  }
  void BeginObject() {
    has_object_ = true;
    const bool as_tree =
        !type_ || *type_ == WatchFrame::Type::kError || *type_ == WatchFrame::Type::kBookmark;
    target_ = as_tree ? Target::kTree : Target::kDecoder;
    if (!as_tree) StartDecoder();
  }
  void StartDecoder() {
    object_ = NewObject(object_type_);
    decoder_.Start(object_type_, object_.get(), fields_);
  }
  bool AtObject() const { return depth_ == 1 && member_ == Member::kObject; }

  template <class Event>
  bool OnScalar(const Event& event) {
    if (depth_ == 0) return Refuse("expected a watch event, an object");
    if (target_ == Target::kNone && !AtObject()) return true;
    if (target_ == Target::kNone) BeginObject();
    return Forward(event);
  }
  template <class Event>
  bool OnOpen(const Event& event) {
    if (target_ == Target::kNone && AtObject()) BeginObject();
    if (target_ != Target::kNone) return Forward(event);
    ++depth_;
    return true;
  }
  template <class Event>
  bool OnClose(const Event& event) {
    if (target_ != Target::kNone) return Forward(event);
    --depth_;
    return true;
  }
  bool Refuse(const char* why) {
    status_ = Status::Malformed(why);
    return false;
  }

  void ReadBookmark(WatchFrame& frame) const {
    const json::Node* metadata = tree_.Find("metadata");
    if (!metadata) return;
    frame.resource_version = metadata->StringOf("resourceVersion");
    const json::Node* annotations = metadata->Find("annotations");
    frame.initial_events_end = annotations && annotations->StringOf(kInitialEventsEnd) == "true";
  }
  // Decodes an object that came before its type.
  void DecodeTree() {
    json::AppendNode(late_text_, tree_);
    StartDecoder();
    if (Status status = json::ParseInPlace(late_text_, decoder_); !status.ok()) status_ = status;
  }

  const TypeDescriptor& object_type_;
  const FieldSet fields_;
  size_t depth_ = 0;  // outside of the object
  Member member_ = Member::kOther;
  Target target_ = Target::kNone;
  std::optional<WatchFrame::Type> type_;
  bool has_object_ = false;
  std::shared_ptr<void> object_;
  ObjectDecoder decoder_;
  json::TreeBuilder builder_;
  json::Node tree_;
  std::string late_text_;
  Status status_;
};

}  // namespace

Result<WatchFrame> DecodeWatchFrame(const TypeDescriptor& type, std::string json,
                                    const FieldSet& fields) {
  FrameHandler handler(type, fields);
  if (Status status = json::ParseInPlace(json, handler); !status.ok()) {
    return handler.status().ok() ? status : handler.status();
  }
  return handler.Finish();
}

}  // namespace capstan
