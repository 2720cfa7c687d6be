#include "apiserver/storage/object_edit.h"

#include <algorithm>
#include <utility>

namespace capstan::testing::server {

void ObjectEdit::Finish() {
  if (!erased_.empty()) {
    std::erase_if(object_.MutableMembers(),
                  [this](const json::Member& member) { return erased_.contains(member.key); });
  }
  erased_.clear();
  if (added_.empty()) return;
  json::Value::Members& members = object_.MutableMembers();
  const auto old_size = static_cast<ptrdiff_t>(members.size());
  members.reserve(members.size() + added_.size());
  for (auto& [key, value] : added_) members.push_back({key, std::move(value)});
  std::inplace_merge(members.begin(), members.begin() + old_size, members.end(),
                     [](const json::Member& a, const json::Member& b) { return a.key < b.key; });
  added_.clear();
}

const json::Value* ObjectEdit::Find(std::string_view key) const {
  if (const auto added = added_.find(key); added != added_.end()) return &added->second;
  return erased_.contains(key) ? nullptr : object_.Find(key);
}

json::Value& ObjectEdit::Mutable(std::string_view key) {
  if (!object_.Find(key)) return added_[std::string(key)];
  json::Value& member = object_.Mutable(key);
  if (const auto erased = erased_.find(key); erased != erased_.end()) {
    erased_.erase(erased);
    member = json::Value();
  }
  return member;
}

void ObjectEdit::Erase(std::string_view key) {
  if (const auto added = added_.find(key); added != added_.end()) {
    added_.erase(added);
  } else if (object_.Find(key)) {
    erased_.emplace(key);
  }
}

}  // namespace capstan::testing::server
