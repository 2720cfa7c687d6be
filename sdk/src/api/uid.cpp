#include <capstan/api/uid.h>

#include <set>

#include <capstan/runtime/mutex.h>

#include "base/text/hex.h"

namespace capstan {
namespace {

// Marks a Uid whose other half is the address of its text. A UUID with this high half, and the UUID
// of zeros, which would look empty, are kept as texts too.
constexpr uint64_t kTextTag = ~uint64_t{0};

// Texts that are not UUIDs. They are kept for the life of the process.
class TextTable {
 public:
  uint64_t Keep(std::string_view text) {
    MutexLock lock(mutex_);
    auto found = texts_.find(text);
    if (found == texts_.end()) found = texts_.emplace(text).first;
    return reinterpret_cast<uintptr_t>(&*found);
  }
  static TextTable& Instance() {
    static auto& table = *new TextTable();
    return table;
  }

 private:
  Mutex mutex_;
  std::set<std::string, std::less<>> texts_ CAPSTAN_GUARDED_BY(mutex_);
};

const std::string& TextOf(uint64_t low) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): that is how it is held
  return *reinterpret_cast<const std::string*>(static_cast<uintptr_t>(low));
}

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

bool IsDash(size_t index) { return index == 8 || index == 13 || index == 18 || index == 23; }

bool ParseUuid(std::string_view text, uint64_t& high, uint64_t& low) {
  if (text.size() != 36) return false;
  high = low = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (IsDash(i)) {
      if (text[i] != '-') return false;
      continue;
    }
    const int value = HexValue(text[i]);
    if (value < 0) return false;
    uint64_t& half = i < 18 ? high : low;
    half = (half << 4) | static_cast<uint64_t>(value);
  }
  return high != kTextTag && (high | low) != 0;
}

}  // namespace

Uid::Uid(std::string_view text) {
  if (text.empty() || ParseUuid(text, high_, low_)) return;
  high_ = kTextTag;
  low_ = TextTable::Instance().Keep(text);
}

std::string Uid::str() const {
  if (empty()) return {};
  if (high_ == kTextTag) return TextOf(low_);
  std::string text(36, '-');
  int shift = 60;
  for (size_t i = 0; i < text.size(); ++i) {
    if (IsDash(i)) continue;
    text[i] = text::kHexDigits[((i < 18 ? high_ : low_) >> shift) & 15];
    shift = shift == 0 ? 60 : shift - 4;
  }
  return text;
}

std::strong_ordering operator<=>(const Uid& a, const Uid& b) {
  if (a.high_ == kTextTag || b.high_ == kTextTag) return a.str() <=> b.str();
  // The empty Uid is all zeros. The order of the digits is the order of the texts.
  if (a.high_ != b.high_) return a.high_ <=> b.high_;
  return a.low_ <=> b.low_;
}

void AppendText(std::string& out, const Uid& uid) { out += uid.str(); }

}  // namespace capstan
