#pragma once

/// ChunkDecoder: what is around the data of a chunked body (RFC 9112, section 7.1).
///
/// Threads: one at a time.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace capstan::http {

struct ChunkLimits {
  size_t line = 256;         ///< of a chunk's size with its extensions
  size_t trailer = 4 << 10;  ///< of all lines after the last chunk
};

class ChunkDecoder {
 public:
  enum class State {
    kMore,         ///< more bytes are needed
    kData,         ///< `remaining` bytes of data follow
    kDone,         ///< the body has ended
    kBadSize,      ///< a size, or its line, is malformed
    kBadEnd,       ///< a chunk is longer than its size
    kLongTrailer,  ///< over the limit
  };

  explicit ChunkDecoder(const ChunkLimits& limits = {}) : limits_(limits) {}

  /// Takes what is no data off the front of `rest`. When it says kData, `rest` goes on with data,
  /// of which the caller takes as much as it likes and says so by Take.
  State Next(std::string_view& rest);
  /// Of the chunk.
  uint64_t remaining() const { return remaining_; }
  void Take(uint64_t size) { remaining_ -= size; }

 private:
  enum class Part : uint8_t { kSize, kData, kTrailer, kEnd };

  State ReadSize(std::string_view& rest);
  State ReadTrailer(std::string_view& rest);

  ChunkLimits limits_;
  Part part_ = Part::kSize;
  uint64_t remaining_ = 0;
  size_t trailer_ = 0;
};

}  // namespace capstan::http
