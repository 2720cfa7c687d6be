#include "apiserver/codec/protobuf_wire.h"

namespace capstan::testing::server {

bool WireReader::Fail() {
  malformed_ = true;
  rest_ = {};
  return false;
}

bool WireReader::ReadVarint(uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (rest_.empty()) return false;
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

bool WireReader::ReadFixed(size_t size) {
  if (rest_.size() < size) return false;
  for (size_t i = size; i-- > 0;) {
    integer_ = integer_ << 8 | static_cast<unsigned char>(rest_[i]);
  }
  rest_.remove_prefix(size);
  return true;
}

bool WireReader::Next() {
  if (rest_.empty()) return false;
  uint64_t tag = 0;
  if (!ReadVarint(tag) || tag >> 3 == 0 || tag >> 3 > 0x1fffffff) return Fail();
  number_ = static_cast<uint32_t>(tag >> 3);
  kind_ = static_cast<uint32_t>(tag & 7);
  integer_ = 0;
  bytes_ = {};
  switch (kind_) {
    case 0:
      return ReadVarint(integer_) || Fail();
    case 1:
      return ReadFixed(8) || Fail();
    case 5:
      return ReadFixed(4) || Fail();
    case 2: {
      uint64_t size = 0;
      if (!ReadVarint(size) || size > rest_.size()) return Fail();
      bytes_ = rest_.substr(0, static_cast<size_t>(size));
      rest_.remove_prefix(static_cast<size_t>(size));
      return true;
    }
    default:  // groups, which no client sends
      return Fail();
  }
}

}  // namespace capstan::testing::server
