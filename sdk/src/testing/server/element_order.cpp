#include "testing/server/element_order.h"

#include <algorithm>
#include <utility>

namespace capstan::testing::server {
namespace {

void SortByOrder(json::Value::Items& items, const json::Value::Items& order,
                 const std::string& merge_key) {
  std::vector<std::pair<int, json::Value>> placed;
  placed.reserve(items.size());
  for (json::Value& item : items) {
    const int index = ElementIndex(order, item, merge_key);
    placed.emplace_back(index < 0 ? static_cast<int>(order.size()) : index, std::move(item));
  }
  std::stable_sort(placed.begin(), placed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (size_t i = 0; i < placed.size(); ++i) items[i] = std::move(placed[i].second);
}

}  // namespace

int ElementIndex(const json::Value::Items& items, const json::Value& item,
                 const std::string& merge_key) {
  const json::Value& wanted = merge_key.empty() ? item : item.Get(merge_key);
  for (size_t i = 0; i < items.size(); ++i) {
    const json::Value& key = merge_key.empty() ? items[i] : items[i].Get(merge_key);
    // To the API, 80 and 80.0 are different keys.
    if (key.kind() == wanted.kind() && key == wanted && (merge_key.empty() || !key.IsNull())) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

json::Value::Items OrderElements(const json::Value::Items& merged,
                                 const json::Value::Items& patch_order,
                                 const json::Value::Items& live_order,
                                 const std::string& merge_key) {
  json::Value::Items named;
  json::Value::Items others;
  for (const json::Value& item : merged) {
    const bool is_named = ElementIndex(patch_order, item, merge_key) >= 0;
    (is_named ? named : others).push_back(item);
  }
  SortByOrder(named, patch_order, merge_key);
  SortByOrder(others, live_order, merge_key);

  json::Value::Items all;
  all.reserve(merged.size());
  auto other = others.begin();
  for (json::Value& item : named) {
    const int place = ElementIndex(live_order, item, merge_key);
    while (other != others.end()) {
      const int other_place = ElementIndex(live_order, *other, merge_key);
      if (place < 0 || other_place < 0 || other_place >= place) break;
      all.push_back(std::move(*other++));
    }
    all.push_back(std::move(item));
  }
  while (other != others.end()) all.push_back(std::move(*other++));
  return all;
}

}  // namespace capstan::testing::server
