#include <capstan/api/string_map.h>

#include <algorithm>
#include <memory>
#include <new>
#include <vector>

#include "api/hashing.h"
#include "api/intern_table.h"

namespace capstan {

struct StringMap::Block {
  Block* next;
  uint64_t hash;  // of a shared block
  std::atomic<uint32_t> references;
  uint32_t size : 31;
  uint32_t shared : 1;  // whether it is in the table

  Entry* entries() { return reinterpret_cast<Entry*>(this + 1); }
  Entry* end() { return entries() + size; }
  bool Equals(Block& other) {
    return size == other.size && std::equal(entries(), end(), other.entries());
  }

  // Memory for `count` entries. The entries are not constructed.
  static Block* Allocate(size_t count) {
    static_assert(sizeof(Block) % alignof(Entry) == 0);
    void* memory = ::operator new(sizeof(Block) + count * sizeof(Entry));
    return ::new (memory) Block{nullptr, 0, 1, 0, 0};
  }
  void Add(InternedString key, std::string_view value) {
    ::new (static_cast<void*>(end())) Entry{std::move(key), std::string(value)};
    ++size;
  }
  static internal::InternTable<Block>& Table() {
    static auto& table = *new internal::InternTable<Block>();
    return table;
  }
  static Block* Hold(Block* block) {
    if (block) block->references.fetch_add(1, std::memory_order_relaxed);
    return block;
  }
  static void Drop(Block* block) {
    if (!block) return;
    const bool last = block->shared
                          ? Table().Release(*block)
                          : block->references.fetch_sub(1, std::memory_order_acq_rel) == 1;
    if (last) Free(block);
  }
  static void Free(Block* block) {
    std::destroy(block->entries(), block->end());
    block->~Block();
    ::operator delete(block);
  }
};

StringMap::StringMap(std::initializer_list<std::pair<std::string_view, std::string_view>> entries)
    : StringMap(std::span(entries.begin(), entries.size())) {}

StringMap::StringMap(std::span<const std::pair<std::string_view, std::string_view>> entries) {
  if (entries.empty()) return;
  std::vector<std::pair<std::string_view, std::string_view>> sorted(entries.begin(), entries.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  block_ = Block::Allocate(sorted.size());
  for (size_t i = 0; i < sorted.size(); ++i) {
    const bool repeated = i + 1 < sorted.size() && sorted[i].first == sorted[i + 1].first;
    if (!repeated) block_->Add(sorted[i].first, sorted[i].second);
  }
}

StringMap::StringMap(const StringMap& other) : block_(Block::Hold(other.block_)) {}

StringMap& StringMap::operator=(const StringMap& other) {
  if (block_ != other.block_) *this = StringMap(other);
  return *this;
}

StringMap& StringMap::operator=(StringMap&& other) noexcept {
  if (this != &other) {
    Block::Drop(block_);
    block_ = other.block_;
    other.block_ = nullptr;
  }
  return *this;
}

StringMap::~StringMap() { Block::Drop(block_); }

size_t StringMap::size() const { return block_ ? block_->size : 0; }
const StringMap::Entry* StringMap::begin() const { return block_ ? block_->entries() : nullptr; }
const StringMap::Entry* StringMap::end() const { return block_ ? block_->end() : nullptr; }

const std::string* StringMap::Find(std::string_view key) const {
  const Entry* entry = std::lower_bound(
      begin(), end(), key, [](const Entry& e, std::string_view k) { return e.key.view() < k; });
  return entry != end() && entry->key.view() == key ? &entry->value : nullptr;
}

void StringMap::Set(std::string_view key, std::string_view value) {
  Block* fresh = Block::Allocate(size() + 1);
  const Entry* entry = begin();
  for (; entry != end() && entry->key.view() < key; ++entry) fresh->Add(entry->key, entry->value);
  fresh->Add(key, value);
  if (entry != end() && entry->key.view() == key) ++entry;
  for (; entry != end(); ++entry) fresh->Add(entry->key, entry->value);
  // Dropped last, because key and value may point into the old block.
  Block::Drop(block_);
  block_ = fresh;
}

bool StringMap::Erase(std::string_view key) {
  if (!Contains(key)) return false;
  Block* fresh = size() > 1 ? Block::Allocate(size() - 1) : nullptr;
  for (const Entry& entry : *this) {
    if (fresh && entry.key.view() != key) fresh->Add(entry.key, entry.value);
  }
  Block::Drop(block_);
  block_ = fresh;
  return true;
}

void StringMap::Share() {
  if (!block_ || block_->shared) return;
  uint64_t hash = size();
  for (const Entry& entry : *this) {
    hash = internal::Combine(hash, entry.key.hash());
    hash = internal::Combine(hash, internal::HashText(entry.value));
  }
  Block* mine = block_;
  block_ = Block::Table().Intern(
      hash, [mine](Block& other) { return other.Equals(*mine); },
      [this, hash] {
        // Other threads may read copies of this map, so the table gets a separate block.
        Block* fresh = Block::Allocate(size());
        for (const Entry& entry : *this) fresh->Add(entry.key, entry.value);
        fresh->hash = hash;
        fresh->shared = 1;
        return fresh;
      });
  Block::Drop(mine);
}

bool operator==(const StringMap& a, const StringMap& b) {
  if (a.block_ == b.block_) return true;
  if (a.size() != b.size()) return false;
  // Two different blocks of the table are never equal.
  if (a.block_ && a.block_->shared && b.block_->shared) return false;
  return std::equal(a.begin(), a.end(), b.begin());
}

}  // namespace capstan
