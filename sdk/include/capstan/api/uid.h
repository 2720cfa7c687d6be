#pragma once

/// Uid: an object's UID in 16 bytes.
///
/// Kubernetes UIDs are RFC 4122 UUIDs in lower case. The 16 bytes hold such a UID directly. For a
/// UID of any other form they hold a reference to a text that is kept for the life of the process.
/// It compares and prints like any other UID.

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <capstan/export.h>

namespace capstan {

class CAPSTAN_EXPORT Uid {
 public:
  Uid() = default;
  Uid(std::string_view text);                                    // NOLINT
  Uid(const char* text) : Uid(std::string_view(text)) {}         // NOLINT
  Uid(const std::string& text) : Uid(std::string_view(text)) {}  // NOLINT

  bool empty() const { return high_ == 0 && low_ == 0; }
  std::string str() const;
  size_t hash() const { return static_cast<size_t>(high_ ^ (low_ * 0x9e3779b97f4a7c15ULL)); }

  friend bool operator==(const Uid&, const Uid&) = default;
  /// Orders by the text of the UIDs.
  friend CAPSTAN_EXPORT std::strong_ordering operator<=>(const Uid& a, const Uid& b);

 private:
  uint64_t high_ = 0;
  uint64_t low_ = 0;
};

CAPSTAN_EXPORT void AppendText(std::string& out, const Uid& uid);

}  // namespace capstan

template <>
struct std::hash<capstan::Uid> {
  size_t operator()(const capstan::Uid& uid) const noexcept { return uid.hash(); }
};
