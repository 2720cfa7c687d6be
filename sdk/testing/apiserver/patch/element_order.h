#pragma once

// The elements of lists in a strategic merge patch: which is which, and their order. Lists may be
// long, so that nothing here takes more than n log n steps.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "json/value.h"

namespace capstan::testing::server {

// Whether two elements are the same: equal, or with a merge key, of the same value under that key.
// To the API, 80 and 80.0 are different values.
bool IsSameElement(const json::Value& a, const json::Value& b, const std::string& merge_key);

// Where elements are in a list.
class ElementPlaces {
 public:
  ElementPlaces(const json::Value::Items& items, std::string merge_key);

  void Add(const json::Value& item, size_t place);
  // The first place of an element that is the same as `item`.
  std::optional<size_t> Find(const json::Value& item) const;
  // All their places, from the first on. They are no longer found.
  std::vector<size_t> Take(const json::Value& item);

 private:
  std::optional<std::string> KeyOf(const json::Value& item) const;

  const std::string merge_key_;
  std::multimap<std::string, size_t> places_;
};

// A list that loses elements. The API moves the elements behind a lost one forward in the list's
// array, and later on goes by what the whole array holds.
class ShrinkingList {
 public:
  ShrinkingList(json::Value::Items items, const std::string& merge_key);

  void Erase(const json::Value& item);
  json::Value::Items Left() const;
  // What is left, and behind it what the array holds there.
  json::Value::Items WholeArray() const;

 private:
  const json::Value::Items items_;
  ElementPlaces places_;
  std::vector<bool> gone_;
  size_t size_;  // of what is left
  size_t end_;   // nothing is left from here on
  json::Value::Items array_;
};

// `merged` put in order: what `patch_order` names comes in that order, the rest in the order it had
// in `live_order`. The two are interleaved as in `live_order`, as far as that goes.
json::Value::Items OrderElements(const json::Value::Items& merged,
                                 const json::Value::Items& patch_order,
                                 const json::Value::Items& live_order,
                                 const std::string& merge_key);

}  // namespace capstan::testing::server
