#pragma once

/// Matches and orders list elements in a strategic merge patch. Lists can be long, so every
/// operation takes at most O(n log n) steps.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "json/value.h"

namespace capstan::testing::server {

/// Whether two elements are the same: they are equal, or they have equal values under the merge key
/// if there is one. As in the API, 80 and 80.0 are different values.
bool IsSameElement(const json::Value& a, const json::Value& b, const std::string& merge_key);

/// An index from elements to their positions in a list.
class ElementPlaces {
 public:
  ElementPlaces(const json::Value::Items& items, std::string merge_key);

  void Add(const json::Value& item, size_t place);
  /// Returns the first position of an element that is the same as `item`.
  std::optional<size_t> Find(const json::Value& item) const;
  /// Returns all positions of elements that are the same as `item`, in ascending order, and removes
  /// them from the index.
  std::vector<size_t> Take(const json::Value& item);

 private:
  std::optional<std::string> KeyOf(const json::Value& item) const;

  const std::string merge_key_;
  std::multimap<std::string, size_t> places_;
};

/// A list from which elements are erased. The API erases in place: it moves later elements forward
/// in the list's array. Later steps read the whole array, so this class models it.
class ShrinkingList {
 public:
  ShrinkingList(json::Value::Items items, const std::string& merge_key);

  void Erase(const json::Value& item);
  json::Value::Items Left() const;
  /// The remaining elements, followed by the stale elements in the rest of the array.
  json::Value::Items WholeArray() const;

 private:
  const json::Value::Items items_;
  ElementPlaces places_;
  std::vector<bool> gone_;
  size_t size_;  // number of remaining elements
  size_t end_;   // all elements from here on are erased
  json::Value::Items array_;
};

/// Sorts `merged`. Elements in `patch_order` take that order. The others take their order in
/// `live_order`. Both groups are interleaved as in `live_order`, where possible.
json::Value::Items OrderElements(const json::Value::Items& merged,
                                 const json::Value::Items& patch_order,
                                 const json::Value::Items& live_order,
                                 const std::string& merge_key);

}  // namespace capstan::testing::server
