#pragma once

/// Decodes one JSON value of a stream of events into an object of a described type.
///
/// A value that does not fit is not an error of the stream: the decoder records the reason and
/// ignores the rest of the value.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/api/descriptor.h>
#include <capstan/api/field_set.h>
#include <capstan/runtime/status.h>

#include "api/field_node.h"
#include "api/json_events.h"
#include "api/scalar.h"
#include "base/json/json_tree.h"

namespace capstan {

class ObjectDecoder {
 public:
  /// Starts decoding: the next events are those of the value of `object`, which is freshly
  /// constructed. Texts passed with the events must live until the value is done. Fields that are
  /// not in `fields` are skipped.
  void Start(const TypeDescriptor& type, void* object, const FieldSet& fields = {});
  /// Whether the value is complete. No more events may follow then.
  bool done() const { return done_; }
  /// Malformed, with the path, if the value did not fit.
  const Status& status() const { return status_; }

  /// The metadata of the value, whether it fits or not; "" if a field is missing.
  std::string_view name() const { return spotted_[0]; }
  std::string_view namespace_name() const { return spotted_[1]; }
  std::string_view resource_version() const { return spotted_[2]; }

  /// Events; a handler of json::ParseInPlace. They always return true.
  bool Null();
  bool Bool(bool value);
  bool Number(std::string_view text);
  bool String(std::string_view text);
  bool Key(std::string_view text);
  bool StartObject();
  bool EndObject();
  bool StartArray();
  bool EndArray();

 private:
  using Scalar = internal::Scalar;
  // An open value: an object with its current member, a list or a string map.
  struct Frame {
    enum class Kind : uint8_t { kObject, kList, kMap };
    Kind kind = Kind::kObject;
    void* value = nullptr;                   // the struct, list or map
    const TypeDescriptor* type = nullptr;    // kObject
    const FieldDescriptor* field = nullptr;  // kObject: the current member; others: what they fill
    uint64_t seen = 0;                       // kObject: which fields have had a value
    std::string_view key;                    // kMap: the current key
    const FieldDescriptor* unknown_field = nullptr;
    const internal::FieldNode* kept = nullptr;         // kObject: which members; null: all
    const internal::FieldNode::Field* part = nullptr;  // kList, kMap: which part; null: all
    bool boxed = false;                                // kObject: a box was allocated
    std::unique_ptr<json::Node> unknown;               // members without a field
  };
  // What happens to the events: they are decoded, skipped to the end of a member, collected as a
  // carried part, or skipped to the end of the whole value because it does not fit.
  enum class Mode : uint8_t { kDecode, kSkip, kCarry, kFailed };

  void OnScalar(const Scalar& scalar);
  void OnScalarOfMap(Frame& frame, const Scalar& scalar);
  void CarryScalar(const Scalar& scalar);
  bool OnOpen(bool is_object);
  void OnClose();
  void EndOfFrame();
  void OnKeyOfObject(Frame& frame, std::string_view text);
  void Spot(std::string_view key);

  // The destination of the value that begins now; null if it is skipped or does not fit.
  void* Slot(Frame& frame, std::string_view found);
  void ResetIfSeen(Frame& frame);
  Frame* Push(Frame::Kind kind, void* value);
  void PushObject(void* value, const TypeDescriptor& type, const internal::FieldNode* kept);
  void PushPart(Frame::Kind kind, void* value, const Frame& around);
  void BeginCarry(RawJson* target, std::string_view key);
  template <class Event>
  bool Carry(const Event& event);  // passes an event on; returns true
  void EndCarry();
  void EndCarriedPart();
  uint64_t FamilyOfCarried() const;
  void EndOfElement();
  void FinishMap(Frame& frame);

  void Mismatch(std::string_view expected, std::string_view found);
  void Fail(std::string_view why);
  std::string Path() const;

  Mode mode_ = Mode::kDecode;
  bool skip_next_ = false;  // the next value is that of a skipped member
  bool done_ = true;
  size_t depth_ = 0;       // of the value, in open objects and arrays
  size_t mode_depth_ = 0;  // where kSkip and kCarry end
  const TypeDescriptor* root_type_ = nullptr;
  void* root_ = nullptr;
  FieldSet fields_;
  std::vector<Frame> frames_;
  std::vector<std::pair<std::string_view, std::string_view>> map_entries_;
  json::TreeBuilder carried_;  // an unknown member
  internal::JsonEvents carried_part_;
  RawJson* carry_target_ = nullptr;  // null: an unknown member, under carry_key_
  std::string_view carry_key_;
  Status status_;
  bool in_metadata_ = false;
  std::string_view* spot_ = nullptr;
  std::string_view spotted_[3];
};

}  // namespace capstan
