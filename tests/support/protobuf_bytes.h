#pragma once

// Writes messages in the protobuf encoding, also bad ones.

#include <cstdint>
#include <string>
#include <string_view>

namespace capstan::testing {

inline std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

inline std::string Bytes(uint32_t number, std::string_view bytes) {
  return Varint(number << 3 | 2) + Varint(bytes.size()) + std::string(bytes);
}

inline std::string Number(uint32_t number, int64_t value) {
  return Varint(number << 3) + Varint(static_cast<uint64_t>(value));
}

inline std::string Enveloped(std::string_view api_version, std::string_view kind,
                             std::string_view raw) {
  return std::string("k8s\0", 4) + Bytes(1, Bytes(1, api_version) + Bytes(2, kind)) + Bytes(2, raw);
}

// An entry of a map.
inline std::string Entry(uint32_t number, std::string_view key, std::string_view value) {
  return Bytes(number, Bytes(1, key) + Bytes(2, value));
}

// A frame of a watch. `object` has its envelope.
inline std::string WatchFrameOf(std::string_view type, std::string_view object) {
  const std::string event = Bytes(1, type) + Bytes(2, Bytes(1, object));
  std::string frame;
  for (int shift = 24; shift >= 0; shift -= 8) {
    frame += static_cast<char>(event.size() >> shift & 0xff);
  }
  return frame + event;
}

}  // namespace capstan::testing
