#pragma once

/// TextFamily: the text that similar packed texts are kept as differences to.
///
/// The templates of a Deployment and of its ReplicaSets differ in an image or a label. The first of
/// them that is decoded becomes the base of their family, and the others take a tenth of it.
///
/// Threads: all functions may be called from any thread. A base is immutable.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace capstan::internal {

class TextFamily {
 public:
  /// The family with this key. If there is none, one with `text` as the base. The caller owns a
  /// reference. Two families may share a key, and thereby a base: that costs memory at most.
  static TextFamily& Join(uint64_t key, std::string_view text);
  /// Drops a reference.
  static void Leave(TextFamily* family);

  std::string base() const;

  // For the table of families.
  TextFamily* next = nullptr;
  const uint64_t hash;
  std::atomic<uint32_t> references = 1;

 private:
  TextFamily(uint64_t key, size_t packed_size, size_t size)
      : hash(key),
        packed_size_(static_cast<uint32_t>(packed_size)),
        size_(static_cast<uint32_t>(size)) {}

  static TextFamily* Make(uint64_t key, std::string_view text);
  std::string_view packed() const {
    return {reinterpret_cast<const char*>(this + 1), packed_size_};
  }

  const uint32_t packed_size_;  // of the bytes that follow this object
  const uint32_t size_;         // of the base: equal to packed_size_ if it is not packed
};

}  // namespace capstan::internal
