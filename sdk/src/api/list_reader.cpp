#include "api/list_decoder.h"

#include <utility>

#include "api/object_decoder.h"
#include "base/json/rapidjson.h"

namespace capstan {
namespace {

// Reads the list around the items and passes the events of each item to an ObjectDecoder.
class ListHandler {
 public:
  ListHandler(const TypeDescriptor& item_type, const ListSink& sink, const FieldSet& fields)
      : item_type_(item_type), sink_(sink), fields_(fields) {}

  bool Null() {
    return OnScalar([this] { decoder_.Null(); });
  }
  bool Bool(bool value) {
    return OnScalar([=, this] { decoder_.Bool(value); });
  }
  bool Number(std::string_view text) {
    return OnScalar([=, this] { decoder_.Number(text); });
  }
  bool String(std::string_view text) {
    if (metadata_field_) *std::exchange(metadata_field_, nullptr) = text;
    return OnScalar([=, this] { decoder_.String(text); });
  }
  bool Key(std::string_view text) {
    if (item_) return decoder_.Key(text);
    metadata_field_ = nullptr;
    if (depth_ == 1) {
      member_ = text == "items" ? Member::kItems
                                : (text == "metadata" ? Member::kMetadata : Member::kOther);
    } else if (depth_ == 2 && member_ == Member::kMetadata) {
      if (text == "resourceVersion") metadata_field_ = &metadata_.resource_version;
      if (text == "continue") metadata_field_ = &metadata_.continue_token;
    }
    return true;
  }
  bool StartObject() {
    return OnOpen(true, [this] { decoder_.StartObject(); });
  }
  bool StartArray() {
    return OnOpen(false, [this] { decoder_.StartArray(); });
  }
  bool EndObject() {
    return OnClose([this] { decoder_.EndObject(); });
  }
  bool EndArray() {
    return OnClose([this] { decoder_.EndArray(); });
  }

  // Why the response is not a list.
  const Status& status() const { return status_; }
  ListMetadata Take() { return std::move(metadata_); }

 private:
  enum class Member : uint8_t { kOther, kMetadata, kItems };

  bool AtItem() const { return depth_ == 2 && in_items_; }

  void BeginItem() {
    item_ = NewObject(item_type_);
    decoder_.Start(item_type_, item_.get(), fields_);
  }
  void EndItemIfDone() {
    if (!decoder_.done()) return;
    std::shared_ptr<void> item = std::exchange(item_, nullptr);
    if (decoder_.status().ok()) {
      sink_.on_item(std::move(item));
    } else if (sink_.on_malformed) {
      sink_.on_malformed({std::string(decoder_.namespace_name()), std::string(decoder_.name())},
                         decoder_.status());
    }
  }

  template <class Forward>
  bool OnScalar(const Forward& forward) {
    metadata_field_ = nullptr;
    if (depth_ == 0) return NotAList();
    if (!item_ && !AtItem()) return true;
    if (!item_) BeginItem();
    forward();
    EndItemIfDone();
    return true;
  }
  template <class Forward>
  bool OnOpen(bool is_object, const Forward& forward) {
    metadata_field_ = nullptr;
    if (!item_ && AtItem()) BeginItem();
    if (item_) {
      forward();
      return true;
    }
    if (depth_ == 0 && !is_object) return NotAList();
    if (depth_ == 1 && member_ == Member::kItems) {
      if (is_object) return NotAList();
      in_items_ = true;
    }
    ++depth_;
    return true;
  }
  template <class Forward>
  bool OnClose(const Forward& forward) {
    if (item_) {
      forward();
      EndItemIfDone();
      return true;
    }
    if (--depth_ == 1) in_items_ = false;
    return true;
  }
  bool NotAList() {
    status_ = Status::Malformed("expected a list: an object with \"items\"");
    return false;
  }

  const TypeDescriptor& item_type_;
  const ListSink& sink_;
  const FieldSet fields_;
  ObjectDecoder decoder_;
  std::shared_ptr<void> item_;  // the item that is being decoded
  size_t depth_ = 0;            // outside of items
  Member member_ = Member::kOther;
  bool in_items_ = false;
  std::string* metadata_field_ = nullptr;  // receives the next string
  ListMetadata metadata_;
  Status status_;
};

}  // namespace

Result<ListMetadata> DecodeList(const TypeDescriptor& item_type, std::string json,
                                const ListSink& sink, const FieldSet& fields) {
  ListHandler handler(item_type, sink, fields);
  if (Status status = json::ParseInPlace(json, handler); !status.ok()) {
    return handler.status().ok() ? status : handler.status();
  }
  return handler.Take();
}

}  // namespace capstan
