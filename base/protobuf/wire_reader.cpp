#include "base/protobuf/wire_reader.h"

#include <protozero/exception.hpp>
#include <protozero/varint.hpp>

namespace capstan::protobuf {
namespace {

constexpr uint64_t kLargestNumber = (uint64_t{1} << 29) - 1;

// Returns false for a tag that no field can have.
bool ReadTag(uint64_t tag, FieldHead& field) {
  const uint64_t number = tag >> 3;
  field.number = static_cast<uint32_t>(number);
  field.type = static_cast<WireType>(tag & 7);
  return number > 0 && number <= kLargestNumber;
}

uint64_t LittleEndian(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

}  // namespace

std::string_view NameOf(WireType type) {
  switch (type) {
    case WireType::kVarint:
      return "a varint";
    case WireType::kFixed64:
      return "a 64-bit value";
    case WireType::kFixed32:
      return "a 32-bit value";
    case WireType::kBytes:
      break;
  }
  return "bytes";
}

HeadState ReadHead(std::string_view bytes, FieldHead& field) {
  const char* data = bytes.data();
  const char* const end = data + bytes.size();
  try {
    if (!ReadTag(protozero::decode_varint(&data, end), field)) return HeadState::kMalformed;
    field.value = field.size = 0;
    switch (field.type) {
      case WireType::kVarint:
        field.value = protozero::decode_varint(&data, end);
        break;
      case WireType::kBytes:
        field.size = protozero::decode_varint(&data, end);
        break;
      case WireType::kFixed64:
        field.size = 8;
        break;
      case WireType::kFixed32:
        field.size = 4;
        break;
      default:  // a group
        return HeadState::kMalformed;
    }
  } catch (const protozero::end_of_buffer_exception&) {
    return HeadState::kTruncated;
  } catch (const protozero::varint_too_long_exception&) {
    return HeadState::kMalformed;
  }
  field.head = static_cast<size_t>(data - bytes.data());
  return HeadState::kRead;
}

bool WireReader::Next() {
  if (rest_.empty() || !error_.empty()) return false;
  const HeadState state = ReadHead(rest_, field_);
  if (state == HeadState::kMalformed) {
    error_ = "not valid protobuf";
    return false;
  }
  if (state == HeadState::kTruncated || field_.size > rest_.size() - field_.head) {
    error_ = "the message is truncated";
    return false;
  }
  bytes_ = rest_.substr(field_.head, static_cast<size_t>(field_.size));
  rest_.remove_prefix(field_.head + bytes_.size());
  if (field_.type == WireType::kFixed64) field_.value = LittleEndian(bytes_);
  return true;
}

}  // namespace capstan::protobuf
