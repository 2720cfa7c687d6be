#include "base/http/chunk_decoder.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>

#include "base/http/message_head.h"

namespace capstan::http {
namespace {

// Limits chunks to less than 4 GiB. No real client sends larger ones.
constexpr size_t kMostDigits = 8;

// Blanks are allowed before chunk extensions.
std::optional<uint64_t> ParseChunkSize(std::string_view line) {
  std::string_view digits = line.substr(0, line.find(';'));
  digits = digits.substr(0, digits.find_last_not_of(" \t") + 1);
  uint64_t size = 0;
  const char* const end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, size, 16);
  if (digits.empty() || digits.size() > kMostDigits || error != std::errc() || rest != end)
    return std::nullopt;
  return size;
}

}  // namespace

ChunkDecoder::State ChunkDecoder::Next(std::string_view& rest) {
  if (part_ == Part::kData && remaining_ > 0) return State::kData;
  if (part_ == Part::kData) {
    constexpr std::string_view kLineEnd = "\r\n";
    if (!kLineEnd.starts_with(rest.substr(0, kLineEnd.size()))) return State::kBadEnd;
    if (rest.size() < kLineEnd.size()) return State::kMore;
    rest.remove_prefix(kLineEnd.size());
    part_ = Part::kSize;
  }
  if (part_ == Part::kSize) {
    const State state = ReadSize(rest);
    if (state != State::kDone) return state;
  }
  return part_ == Part::kEnd ? State::kDone : ReadTrailer(rest);
}

// Returns kDone after the last chunk.
ChunkDecoder::State ChunkDecoder::ReadSize(std::string_view& rest) {
  const size_t end = std::min(rest.find('\n'), rest.size());
  // One more byte is allowed, since it may be the CR.
  if (end == rest.size() && rest.size() <= limits_.line + 1) return State::kMore;
  const auto line = TakeLine(rest);
  const auto size = line && line->size() == end - 1 && line->size() <= limits_.line
                        ? ParseChunkSize(*line)
                        : std::nullopt;
  if (!size) return State::kBadSize;
  remaining_ = *size;
  part_ = remaining_ == 0 ? Part::kTrailer : Part::kData;
  return remaining_ == 0 ? State::kDone : State::kData;
}

ChunkDecoder::State ChunkDecoder::ReadTrailer(std::string_view& rest) {
  while (const auto line = TakeLine(rest)) {
    trailer_ += line->size() + 2;
    if (trailer_ > limits_.trailer) return State::kLongTrailer;
    if (!line->empty()) continue;
    part_ = Part::kEnd;
    return State::kDone;
  }
  return rest.size() > limits_.trailer ? State::kLongTrailer : State::kMore;
}

}  // namespace capstan::http
