#pragma once

/// StringMap: a map of strings to strings (labels, annotations) in an 8-byte handle.
///
/// Flat, sorted by key, copied on write. Copies share one block; equal label maps decoded from
/// different objects share one block too, so that a thousand pods of one ReplicaSet hold one map.
///
/// Threads: a value like std::string: shared blocks are immutable and counted atomically; one
/// StringMap object needs outside locking if it is changed.

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <capstan/api/interned_string.h>
#include <capstan/export.h>

namespace capstan {

class CAPSTAN_EXPORT StringMap {
 public:
  struct Entry {
    InternedString key;
    std::string value;
    friend bool operator==(const Entry&, const Entry&) = default;
  };

  StringMap() = default;
  StringMap(std::initializer_list<std::pair<std::string_view, std::string_view>> entries);
  /// Of several entries with the same key the last one counts.
  explicit StringMap(std::span<const std::pair<std::string_view, std::string_view>> entries);
  StringMap(const StringMap& other);
  StringMap(StringMap&& other) noexcept : block_(other.block_) { other.block_ = nullptr; }
  StringMap& operator=(const StringMap& other);
  StringMap& operator=(StringMap&& other) noexcept;
  ~StringMap();

  bool empty() const { return size() == 0; }
  size_t size() const;
  const Entry* begin() const;
  const Entry* end() const;
  /// The value, or null. Valid until this StringMap is changed or goes.
  const std::string* Find(std::string_view key) const;
  bool Contains(std::string_view key) const { return Find(key) != nullptr; }
  /// The value, or "".
  std::string_view Get(std::string_view key) const {
    const std::string* value = Find(key);
    return value ? std::string_view(*value) : std::string_view();
  }

  void Set(std::string_view key, std::string_view value);
  /// Returns whether there was such a key.
  bool Erase(std::string_view key);

  /// Replaces this map's block by the process's one copy of an equal map.
  void Share();

  friend CAPSTAN_EXPORT bool operator==(const StringMap& a, const StringMap& b);

 private:
  struct Block;
  Block* block_ = nullptr;  // null = empty
};

}  // namespace capstan
