#pragma once

/// Reads the fields of a protobuf message one by one.
/// https://protobuf.dev/programming-guides/encoding/

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace capstan::protobuf {

enum class WireType : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

/// The name of the wire type for messages, such as "a varint".
std::string_view NameOf(WireType type);

/// The beginning of a field: its tag and, if it is of varying size, its integer or its length.
struct FieldHead {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  size_t head = 0;     ///< the number of bytes of the head
  uint64_t value = 0;  ///< kVarint: the integer
  uint64_t size = 0;   ///< the number of bytes after the head
};

enum class HeadState : uint8_t { kRead, kTruncated, kMalformed };
/// Reads the head of the field that `bytes` starts with. kTruncated: `bytes` ends within the head.
HeadState ReadHead(std::string_view bytes, FieldHead& field);

/// Reads a whole message. Groups are malformed: no Kubernetes message has one.
class WireReader {
 public:
  explicit WireReader(std::string_view message) : rest_(message) {}

  /// Advances to the next field. Returns false at the end and when the message is malformed.
  bool Next();
  /// Why the message is malformed; "" if it is not.
  std::string_view error() const { return error_; }

  uint32_t number() const { return field_.number; }
  WireType type() const { return field_.type; }
  // The value of the field. A field of another wire type makes the message malformed.
  uint64_t Integer() { return Expect(WireType::kVarint) ? field_.value : 0; }
  uint64_t Fixed64() { return Expect(WireType::kFixed64) ? field_.value : 0; }
  /// The contents of a string, bytes or message field.
  std::string_view Bytes() { return Expect(WireType::kBytes) ? bytes_ : std::string_view(); }

 private:
  bool Expect(WireType type) {
    if (field_.type != type) error_ = "a field has the wrong wire type";
    return field_.type == type;
  }

  std::string_view rest_;
  FieldHead field_;
  std::string_view bytes_;
  std::string_view error_;
};

}  // namespace capstan::protobuf
