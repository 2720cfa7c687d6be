#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace capstan {

/// A map that drops the least recently used entry when it is full.
template <class V>
class LruCache {
 public:
  explicit LruCache(size_t capacity) : capacity_(capacity) {}

  /// Null if there is none. Valid until the next Put.
  V* Get(std::string_view key) {
    const auto found = index_.find(key);
    if (found == index_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return &found->second->second;
  }

  V& Put(std::string key, V value) {
    if (V* known = Get(key)) return *known = std::move(value);
    entries_.emplace_front(std::move(key), std::move(value));
    index_.emplace(entries_.front().first, entries_.begin());
    if (entries_.size() > capacity_) {
      index_.erase(entries_.back().first);
      entries_.pop_back();
    }
    return entries_.front().second;
  }

  size_t size() const { return entries_.size(); }

 private:
  using Entries = std::list<std::pair<std::string, V>>;

  const size_t capacity_;
  Entries entries_;  // the most recently used first
  std::unordered_map<std::string_view, typename Entries::iterator> index_;  // keys of entries_
};

}  // namespace capstan
