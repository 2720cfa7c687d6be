#pragma once

/// ChunkDecoder: decodes the framing of a chunked body (RFC 9112, section 7.1).
///
/// Threads: used by one thread at a time.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace capstan::http {

struct ChunkLimits {
  size_t line = 256;         ///< bytes of a chunk size line, extensions included
  size_t trailer = 4 << 10;  ///< bytes of all lines after the last chunk
};

class ChunkDecoder {
 public:
  enum class State {
    kMore,         ///< more bytes are needed
    kData,         ///< `remaining` bytes of data follow
    kDone,         ///< the body has ended
    kBadSize,      ///< a chunk size or its line is malformed
    kBadEnd,       ///< a chunk has more data than its size says
    kLongTrailer,  ///< the trailer exceeds the limit
  };

  explicit ChunkDecoder(const ChunkLimits& limits = {}) : limits_(limits) {}

  /// Removes framing from the front of `rest`. After kData, `rest` starts with chunk data. The
  /// caller consumes any part of it and reports the amount with Take.
  State Next(std::string_view& rest);
  /// Data bytes left in the current chunk.
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
