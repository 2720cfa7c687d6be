#include "apiserver/patch/element_order.h"

#include <algorithm>
#include <utility>

namespace capstan::testing::server {
namespace {

// An element to sort.
struct Placed {
  const json::Value* item;
  size_t rank;
  std::optional<size_t> live;  // its position in the live list
};

void SortByRank(std::vector<Placed>& all) {
  std::stable_sort(all.begin(), all.end(),
                   [](const Placed& a, const Placed& b) { return a.rank < b.rank; });
}

}  // namespace

bool IsSameElement(const json::Value& a, const json::Value& b, const std::string& merge_key) {
  const json::Value& left = merge_key.empty() ? a : a.Get(merge_key);
  const json::Value& right = merge_key.empty() ? b : b.Get(merge_key);
  return left.kind() == right.kind() && left == right && (merge_key.empty() || !left.IsNull());
}

ElementPlaces::ElementPlaces(const json::Value::Items& items, std::string merge_key)
    : merge_key_(std::move(merge_key)) {
  for (size_t i = 0; i < items.size(); ++i) Add(items[i], i);
}

std::optional<std::string> ElementPlaces::KeyOf(const json::Value& item) const {
  const json::Value& key = merge_key_.empty() ? item : item.Get(merge_key_);
  if (key.IsNull() && !merge_key_.empty()) return std::nullopt;
  std::string text(1, static_cast<char>('0' + static_cast<int>(key.kind())));
  json::AppendJson(text, key);
  return text;
}

void ElementPlaces::Add(const json::Value& item, size_t place) {
  if (std::optional<std::string> key = KeyOf(item)) places_.emplace(*std::move(key), place);
}

std::optional<size_t> ElementPlaces::Find(const json::Value& item) const {
  const std::optional<std::string> key = KeyOf(item);
  if (!key) return std::nullopt;
  const auto first = places_.lower_bound(*key);
  if (first == places_.end() || first->first != *key) return std::nullopt;
  return first->second;
}

std::vector<size_t> ElementPlaces::Take(const json::Value& item) {
  std::vector<size_t> taken;
  const std::optional<std::string> key = KeyOf(item);
  if (!key) return taken;
  const auto [first, end] = places_.equal_range(*key);
  for (auto place = first; place != end; ++place) taken.push_back(place->second);
  places_.erase(first, end);
  return taken;
}

ShrinkingList::ShrinkingList(json::Value::Items items, const std::string& merge_key)
    : items_(std::move(items)),
      places_(items_, merge_key),
      gone_(items_.size()),
      size_(items_.size()),
      end_(items_.size()),
      array_(items_) {}

void ShrinkingList::Erase(const json::Value& item) {
  for (const size_t place : places_.Take(item)) {
    // The last element moves forward; its old slot keeps a stale copy.
    while (gone_[end_ - 1]) --end_;
    array_[--size_] = items_[end_ - 1];
    gone_[place] = true;
  }
}

json::Value::Items ShrinkingList::Left() const {
  json::Value::Items left;
  left.reserve(size_);
  for (size_t i = 0; i < items_.size(); ++i) {
    if (!gone_[i]) left.push_back(items_[i]);
  }
  return left;
}

json::Value::Items ShrinkingList::WholeArray() const {
  json::Value::Items whole = Left();
  whole.insert(whole.end(), array_.begin() + static_cast<ptrdiff_t>(size_), array_.end());
  return whole;
}

json::Value::Items OrderElements(const json::Value::Items& merged,
                                 const json::Value::Items& patch_order,
                                 const json::Value::Items& live_order,
                                 const std::string& merge_key) {
  const ElementPlaces in_patch(patch_order, merge_key);
  const ElementPlaces in_live(live_order, merge_key);
  std::vector<Placed> named;
  std::vector<Placed> others;
  for (const json::Value& item : merged) {
    const std::optional<size_t> live = in_live.Find(item);
    if (const std::optional<size_t> rank = in_patch.Find(item)) {
      named.push_back({&item, *rank, live});
    } else {
      others.push_back({&item, live.value_or(live_order.size()), live});
    }
  }
  SortByRank(named);
  SortByRank(others);

  json::Value::Items all;
  all.reserve(merged.size());
  auto other = others.begin();
  for (const Placed& one : named) {
    for (; other != others.end(); ++other) {
      if (!one.live || !other->live || *other->live >= *one.live) break;
      all.push_back(*other->item);
    }
    all.push_back(*one.item);
  }
  for (; other != others.end(); ++other) all.push_back(*other->item);
  return all;
}

}  // namespace capstan::testing::server
