#include "api/list_reader.h"

#include <array>
#include <cstdint>
#include <utility>

#include "api/object_decoder.h"
#include "base/json/rapidjson.h"

#include <capstan/runtime/format.h>

namespace capstan {
namespace {

constexpr std::array<bool, 256> TableOf(std::string_view characters) {
  std::array<bool, 256> table{};
  for (const char c : characters) table[static_cast<unsigned char>(c)] = true;
  return table;
}
constexpr std::array<bool, 256> kEndsPlainText = TableOf("\"\\");
constexpr std::array<bool, 256> kStructural = TableOf("\"{}[]");
constexpr std::array<bool, 256> kEndsBareScalar = TableOf(",]} \t\r\n");

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

bool Is(const std::array<bool, 256>& table, char c) { return table[static_cast<unsigned char>(c)]; }

// Reads what is around the items: the list without the members of "items".
class FrameOfListHandler {
 public:
  bool Null() { return OnScalar(); }
  bool Bool(bool) { return OnScalar(); }
  bool Number(std::string_view) { return OnScalar(); }
  bool String(std::string_view text) {
    if (metadata_field_) *metadata_field_ = text;
    return OnScalar();
  }
  bool Key(std::string_view text) {
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
  bool StartObject() { return OnOpen(true); }
  bool StartArray() { return OnOpen(false); }
  bool EndObject() { return OnClose(); }
  bool EndArray() { return OnClose(); }

  bool is_list() const { return is_list_; }
  ListMetadata Take() { return std::move(metadata_); }

 private:
  enum class Member : uint8_t { kOther, kMetadata, kItems };

  // Members of "items" get here if its key is written with escapes, which no server does.
  bool InItems() const { return depth_ >= 2 && member_ == Member::kItems; }
  bool OnScalar() {
    metadata_field_ = nullptr;
    is_list_ = is_list_ && depth_ > 0 && !InItems();
    return is_list_;
  }
  bool OnOpen(bool is_object) {
    metadata_field_ = nullptr;
    if (InItems() || (depth_ == 0 && !is_object)) is_list_ = false;
    if (depth_ == 1 && member_ == Member::kItems && is_object) is_list_ = false;
    ++depth_;
    return is_list_;
  }
  bool OnClose() {
    --depth_;
    return true;
  }

  size_t depth_ = 0;
  Member member_ = Member::kOther;
  bool is_list_ = true;
  std::string* metadata_field_ = nullptr;  // receives the next string
  ListMetadata metadata_;
};

// Finds where each member of "items" begins and ends, and decodes it in place. The text around them
// is kept and parsed at the end. The parser checks both, so this class looks only at strings and
// brackets.
class JsonListReader final : public ListReader {
 public:
  JsonListReader(const TypeDescriptor& item_type, const ListSink& sink, const FieldSet& fields,
                 size_t item_limit)
      : item_type_(item_type), sink_(sink), fields_(fields), item_limit_(item_limit) {}

  Status Feed(std::string_view bytes) override {
    while (!bytes.empty()) {
      Result<size_t> used = size_t{0};
      switch (mode_) {
        case Mode::kAround:
          used = ReadAround(bytes);
          break;
        case Mode::kBetween:
          used = ReadBetween(bytes);
          break;
        case Mode::kItem:
          used = ReadItem(bytes);
          break;
      }
      if (!used) return used.status();
      bytes.remove_prefix(*used);
    }
    return Status::Ok();
  }

  Result<ListMetadata> Finish() override {
    if (mode_ != Mode::kAround) {
      return Status::Malformed(Format("not valid JSON: the list ends after {} items", count_));
    }
    FrameOfListHandler handler;
    if (Status status = json::ParseInPlace(around_, handler); !status.ok()) {
      return handler.is_list() ? status
                               : Status::Malformed("expected a list: an object with \"items\"");
    }
    return handler.Take();
  }

 private:
  enum class Mode : uint8_t { kAround, kBetween, kItem };
  enum class Expected : uint8_t { kItemOrEnd, kItem, kCommaOrEnd };

  // Each reads a part of `bytes` that is not empty, and returns how much.
  Result<size_t> ReadAround(std::string_view bytes);
  Result<size_t> ReadBetween(std::string_view bytes);
  Result<size_t> ReadItem(std::string_view bytes);
  // Follows strings and brackets up to the end of the item. Returns the size up to there, or the
  // whole size.
  size_t ScanItem(std::string_view bytes, bool& at_end);
  // Updates the state for one character around the items. Returns whether "items" begins after it.
  bool ScanAround(char c);
  Status Append(std::string& to, std::string_view bytes) const;
  Status DecodeItem();

  const TypeDescriptor& item_type_;
  const ListSink& sink_;
  const FieldSet fields_;
  const size_t item_limit_;
  ObjectDecoder decoder_;
  Mode mode_ = Mode::kAround;
  Expected expected_ = Expected::kItemOrEnd;
  size_t count_ = 0;

  std::string around_;  // the text before, and then after the items
  size_t depth_around_ = 0;
  bool at_key_ = false;  // at depth 1: before a colon
  std::string key_;      // the last one at depth 1, as written

  std::string item_;
  size_t depth_ = 0;   // of the item, in open objects and arrays
  bool bare_ = false;  // the item is a number or a word
  // Of the item, or of the text around the items.
  bool in_string_ = false;
  bool escaped_ = false;
};

Status JsonListReader::Append(std::string& to, std::string_view bytes) const {
  if (bytes.size() > item_limit_ - to.size()) {
    return Status::Malformed(Format("{} of a list is larger than {} bytes",
                                    &to == &item_ ? Format("items[{}]", count_) : "the frame",
                                    item_limit_));
  }
  to.append(bytes);
  return Status::Ok();
}

bool JsonListReader::ScanAround(char c) {
  const bool in_key = depth_around_ == 1 && at_key_;
  if (in_string_) {
    if (!escaped_ && c == '"') {
      in_string_ = false;
    } else if (in_key) {
      key_.push_back(c);
    }
    escaped_ = !escaped_ && c == '\\';
    return false;
  }
  switch (c) {
    case '"':
      in_string_ = true;
      if (in_key) key_.clear();
      break;
    case '{':
      at_key_ = depth_around_++ == 0;
      break;
    case '[':
      if (depth_around_ == 1 && !at_key_ && key_ == "items") return true;
      ++depth_around_;
      break;
    case '}':
    case ']':
      if (depth_around_ > 0) --depth_around_;
      break;
    case ':':
      if (depth_around_ == 1) at_key_ = false;
      break;
    case ',':
      if (depth_around_ == 1) at_key_ = true;
      break;
    default:
      break;
  }
  return false;
}

Result<size_t> JsonListReader::ReadAround(std::string_view bytes) {
  size_t used = 0;
  bool items_begin = false;
  while (used < bytes.size() && !items_begin) items_begin = ScanAround(bytes[used++]);
  if (Status status = Append(around_, bytes.substr(0, used)); !status.ok()) return status;
  if (items_begin) {
    mode_ = Mode::kBetween;
    expected_ = Expected::kItemOrEnd;
  }
  return used;
}

Result<size_t> JsonListReader::ReadBetween(std::string_view bytes) {
  const char c = bytes.front();
  if (IsBlank(c)) return size_t{1};
  if (c == ']' && expected_ != Expected::kItem) {
    around_.push_back(c);
    mode_ = Mode::kAround;
    return size_t{1};
  }
  if (c == ',' && expected_ == Expected::kCommaOrEnd) {
    expected_ = Expected::kItem;
    return size_t{1};
  }
  if (c == ',' || c == ']' || expected_ == Expected::kCommaOrEnd) {
    return Status::Malformed(Format("not valid JSON: unexpected text after {} items", count_));
  }
  mode_ = Mode::kItem;
  expected_ = Expected::kCommaOrEnd;
  bare_ = c != '{' && c != '[' && c != '"';
  return size_t{0};
}

size_t JsonListReader::ScanItem(std::string_view bytes, bool& at_end) {
  size_t i = 0;
  if (bare_) {
    while (i < bytes.size() && !Is(kEndsBareScalar, bytes[i])) ++i;
    at_end = i < bytes.size();
    return i;
  }
  while (i < bytes.size()) {
    if (escaped_) {
      escaped_ = false;
      ++i;
      continue;
    }
    const std::array<bool, 256>& ends = in_string_ ? kEndsPlainText : kStructural;
    while (i < bytes.size() && !Is(ends, bytes[i])) ++i;
    if (i == bytes.size()) break;
    const char c = bytes[i++];
    if (c == '\\') {
      escaped_ = true;
      continue;
    }
    if (c == '"') {
      in_string_ = !in_string_;
    } else if (c == '{' || c == '[') {
      ++depth_;
    } else if (depth_ > 0) {
      --depth_;
    }
    at_end = depth_ == 0 && !in_string_;
    if (at_end) break;
  }
  return i;
}

Result<size_t> JsonListReader::ReadItem(std::string_view bytes) {
  bool at_end = false;
  const size_t used = ScanItem(bytes, at_end);
  Status status = Append(item_, bytes.substr(0, used));
  if (status.ok() && at_end) status = DecodeItem();
  if (!status.ok()) return status;
  return used;
}

Status JsonListReader::DecodeItem() {
  std::shared_ptr<void> object = NewObject(item_type_);
  decoder_.Start(item_type_, object.get(), fields_);
  if (Status status = json::ParseInPlace(item_, decoder_); !status.ok()) {
    return status.WithContext(Format("items[{}]", count_));
  }
  if (decoder_.status().ok()) {
    sink_.on_item(std::move(object));
  } else if (sink_.on_malformed) {
    sink_.on_malformed({std::string(decoder_.namespace_name()), std::string(decoder_.name())},
                       decoder_.status());
  }
  ++count_;
  item_.clear();
  mode_ = Mode::kBetween;
  return Status::Ok();
}

}  // namespace

ListReader::~ListReader() = default;

std::unique_ptr<ListReader> NewJsonListReader(const TypeDescriptor& item_type, const ListSink& sink,
                                              const FieldSet& fields, size_t item_limit) {
  return std::make_unique<JsonListReader>(item_type, sink, fields, item_limit);
}

}  // namespace capstan
