#pragma once

/// Reads the fields of a protobuf message one by one.
/// https://protobuf.dev/programming-guides/encoding/

#include <cstdint>
#include <string_view>

namespace capstan::testing::server {

class WireReader {
 public:
  explicit WireReader(std::string_view message) : rest_(message) {}

  /// Advances to the next field. Returns false at the end and when the message is malformed.
  bool Next();
  bool malformed() const { return malformed_; }

  uint32_t number() const { return number_; }
  /// The value of a varint or fixed-size field, otherwise 0.
  uint64_t integer() const { return integer_; }
  int64_t signed_integer() const { return static_cast<int64_t>(integer_); }
  /// The contents of a string, bytes or message field, otherwise "".
  std::string_view bytes() const { return bytes_; }

 private:
  bool ReadVarint(uint64_t& value);
  bool ReadFixed(size_t size);
  bool Fail();

  std::string_view rest_;
  uint32_t number_ = 0;
  uint32_t kind_ = 0;
  uint64_t integer_ = 0;
  std::string_view bytes_;
  bool malformed_ = false;
};

}  // namespace capstan::testing::server
