#include "api/protobuf/list_reader.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <capstan/api/object.h>

#include "api/protobuf/envelope.h"
#include "api/protobuf/message_decoder.h"
#include "api/protobuf/scalars.h"
#include "base/protobuf/wire_reader.h"

namespace capstan::protobuf {
namespace {

// Field numbers of every list.
constexpr uint32_t kListMeta = 1;
constexpr uint32_t kItems = 2;

// Holds the item that is arriving, and nothing else of the list.
class MessageListReader final : public ListReader {
 public:
  MessageListReader(const TypeDescriptor& item_type, const ListSink& sink, const FieldSet& fields,
                    size_t item_limit)
      : item_type_(item_type), sink_(sink), fields_(fields), item_limit_(item_limit) {}

  Status Feed(std::string_view bytes) override;
  Result<ListMetadata> Finish() override;

 private:
  enum class Part : uint8_t { kMagic, kEnvelope, kList };

  // Reads all that is complete in `bytes`, and removes it.
  Status ReadComplete(std::string_view& bytes);
  // Reads what `bytes` begins with. `used` is how much of it was read; 0: more is needed.
  Status Read(std::string_view bytes, size_t& used);
  Status ReadMagic(std::string_view bytes, size_t& used);
  Status ReadEnvelopeField(const FieldHead& field, std::string_view content);
  Status BeginList(uint64_t size);
  Status ReadListField(const FieldHead& field, std::string_view content);
  Status ReadMetadata(std::string_view message);
  void ReadItem(std::string_view message);

  const TypeDescriptor& item_type_;
  const ListSink& sink_;
  const FieldSet fields_;
  const size_t item_limit_;
  Part part_ = Part::kMagic;
  std::string pending_;     // the beginning of an item
  uint64_t list_left_ = 0;  // the bytes of the list that have not been read
  bool has_list_ = false;
  ListMetadata metadata_;
};

Status MessageListReader::Feed(std::string_view bytes) {
  if (pending_.empty()) {
    Status status = ReadComplete(bytes);
    pending_ = bytes;
    return status;
  }
  pending_ += bytes;
  std::string_view rest = pending_;
  Status status = ReadComplete(rest);
  pending_.erase(0, pending_.size() - rest.size());
  return status;
}

Status MessageListReader::ReadComplete(std::string_view& bytes) {
  size_t used = 0;
  do {
    if (Status status = Read(bytes, used); !status.ok()) return status;
    bytes.remove_prefix(used);
  } while (used > 0);
  return Status::Ok();
}

Status MessageListReader::Read(std::string_view bytes, size_t& used) {
  used = 0;
  if (bytes.empty()) return Status::Ok();
  if (part_ == Part::kMagic) return ReadMagic(bytes, used);
  if (part_ == Part::kList) bytes = bytes.substr(0, list_left_);
  FieldHead field;
  const HeadState state = ReadHead(bytes, field);
  const bool whole_list = part_ == Part::kList && bytes.size() == list_left_;
  if (state == HeadState::kMalformed || (state == HeadState::kTruncated && whole_list)) {
    return Status::Malformed("the list is not valid protobuf");
  }
  if (state == HeadState::kTruncated) return Status::Ok();
  if (part_ == Part::kEnvelope && field.number == kRaw && field.type == WireType::kBytes) {
    used = field.head;
    return BeginList(field.size);
  }
  if (part_ == Part::kList && field.size > list_left_ - field.head) {
    return Status::Malformed("the list is truncated: an item is longer than the list");
  }
  if (field.size > item_limit_) {
    return Status::Malformed("a part of the list is larger than " + std::to_string(item_limit_) +
                             " bytes");
  }
  if (bytes.size() - field.head < field.size) return Status::Ok();
  used = field.head + static_cast<size_t>(field.size);
  const std::string_view content = bytes.substr(field.head, static_cast<size_t>(field.size));
  if (part_ == Part::kEnvelope) return ReadEnvelopeField(field, content);
  list_left_ -= used;
  if (list_left_ == 0) part_ = Part::kEnvelope;
  return ReadListField(field, content);
}

Status MessageListReader::ReadMagic(std::string_view bytes, size_t& used) {
  const size_t size = std::min(bytes.size(), kMagic.size());
  if (bytes.substr(0, size) != kMagic.substr(0, size)) return WithoutMagic();
  if (size < kMagic.size()) return Status::Ok();
  used = size;
  part_ = Part::kEnvelope;
  return Status::Ok();
}

Status MessageListReader::ReadEnvelopeField(const FieldHead& field, std::string_view content) {
  if (field.type != WireType::kBytes) return Status::Ok();
  if (field.number == kContentEncoding) return CheckContentEncoding(content);
  if (field.number != kTypeMeta) return Status::Ok();
  Envelope envelope;
  if (Status status = ReadTypeMeta(content, envelope); !status.ok()) return status;
  if (envelope.kind.empty() || envelope.kind.ends_with("List")) return Status::Ok();
  return Status::Malformed("expected a list, found an object of kind \"" +
                           std::string(envelope.kind.substr(0, 64)) + "\"");
}

Status MessageListReader::BeginList(uint64_t size) {
  if (has_list_) return Status::Malformed("there is a second list");
  has_list_ = true;
  list_left_ = size;
  if (size > 0) part_ = Part::kList;
  return Status::Ok();
}

Status MessageListReader::ReadListField(const FieldHead& field, std::string_view content) {
  if (field.number != kListMeta && field.number != kItems) return Status::Ok();
  if (field.type != WireType::kBytes) {
    return Status::Malformed("expected a list, found " + std::string(NameOf(field.type)));
  }
  if (field.number == kListMeta) return ReadMetadata(content);
  ReadItem(content);
  return Status::Ok();
}

Status MessageListReader::ReadMetadata(std::string_view message) {
  WireReader reader(message);
  while (reader.Next()) {
    if (reader.number() == 2) metadata_.resource_version = reader.Bytes();
    if (reader.number() == 3) metadata_.continue_token = reader.Bytes();
  }
  return ErrorOf(reader).WithContext("metadata");
}

void MessageListReader::ReadItem(std::string_view message) {
  std::shared_ptr<void> item = NewObject(item_type_);
  const Status status = DecodeMessage(item_type_, message, item.get(), fields_);
  if (status.ok()) {
    sink_.on_item(std::move(item));
  } else if (sink_.on_malformed) {
    sink_.on_malformed(IdentityIn(message).name, status);
  }
}

Result<ListMetadata> MessageListReader::Finish() {
  if (part_ != Part::kEnvelope || !pending_.empty()) {
    return Status::Malformed("the list is truncated");
  }
  if (!has_list_) return Status::Malformed("expected a list, found nothing");
  return std::move(metadata_);
}

}  // namespace

std::unique_ptr<ListReader> NewListReader(const TypeDescriptor& item_type, const ListSink& sink,
                                          const FieldSet& fields, size_t item_limit) {
  return std::make_unique<MessageListReader>(item_type, sink, fields, item_limit);
}

}  // namespace capstan::protobuf
