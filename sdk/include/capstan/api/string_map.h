#pragma once

/// StringMap: a map of strings to strings (labels, annotations) in an 8-byte handle.
///
/// Flat, sorted by key, copied on write. Copies share one block. Equal label maps that are decoded
/// from different objects also share one block, so that a thousand pods of one ReplicaSet hold one
/// map.
///
/// Threads: a value with the same guarantees as std::string. Shared blocks are immutable and have
/// atomic reference counts. Changes to one StringMap object need external locking.

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
  /// If several entries have the same key, the last one wins.
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
  /// The value, or null. Valid until this StringMap is changed or destroyed.
  const std::string* Find(std::string_view key) const;
  bool Contains(std::string_view key) const { return Find(key) != nullptr; }
  /// The value, or "".
  std::string_view Get(std::string_view key) const {
    const std::string* value = Find(key);
    return value ? std::string_view(*value) : std::string_view();
  }

  void Set(std::string_view key, std::string_view value);
  /// Returns whether the key existed.
  bool Erase(std::string_view key);

  /// Replaces this map's block with the one copy of an equal map that the process shares.
  void Share();

  friend CAPSTAN_EXPORT bool operator==(const StringMap& a, const StringMap& b);

 private:
  struct Block;
  Block* block_ = nullptr;  // null = empty
};

}  // namespace capstan
