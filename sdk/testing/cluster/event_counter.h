#pragma once

/// EventCounter finds the boundaries of the events in the body of a watch. In JSON each event is a
/// line. In protobuf each event follows its length in four big-endian bytes.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace capstan::testing::fault {

class EventCounter {
 public:
  explicit EventCounter(std::string_view content_type)
      : framed_(content_type.find("protobuf") != std::string_view::npos) {}

  struct Piece {
    size_t bytes = 0;    ///< bytes of the current event
    bool ended = false;  ///< the event ends after these bytes
  };
  Piece Take(std::string_view bytes) {
    const Piece piece = framed_ ? TakeFramed(bytes) : TakeLine(bytes);
    if (piece.ended) ++events_;
    return piece;
  }
  /// Returns the number of complete events so far.
  int events() const { return events_; }

 private:
  static Piece TakeLine(std::string_view bytes) {
    const size_t feed = bytes.find('\n');
    if (feed == std::string_view::npos) return {bytes.size(), false};
    return {feed + 1, true};
  }

  Piece TakeFramed(std::string_view bytes) {
    size_t taken = 0;
    while (length_bytes_ < 4 && taken < bytes.size()) {
      left_ = left_ << 8 | static_cast<unsigned char>(bytes[taken++]);
      ++length_bytes_;
    }
    if (length_bytes_ < 4) return {taken, false};
    const size_t body = left_ < bytes.size() - taken ? left_ : bytes.size() - taken;
    left_ -= static_cast<uint32_t>(body);
    if (left_ > 0) return {taken + body, false};
    length_bytes_ = 0;
    return {taken + body, true};
  }

  const bool framed_;
  int events_ = 0;
  uint32_t left_ = 0;
  int length_bytes_ = 0;
};

}  // namespace capstan::testing::fault
