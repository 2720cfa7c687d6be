#pragma once

/// List<T>: a sequence in 8 bytes. Most lists of an API object are short or empty.
///
/// A null handle is the empty list. Otherwise one heap block holds size, capacity and elements. The
/// interface is the part of std::vector that API objects need. References are invalidated as in
/// std::vector.
///
/// Equal lists of decoded objects may share one immutable block, e.g. the owner references of all
/// pods of a ReplicaSet. A copy has a block of its own. So has a shared list after the first
/// non-const access, which invalidates references to its elements.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include <capstan/export.h>

namespace capstan {

namespace internal {

/// Precedes a block that lists share.
struct SharedListHead {
  SharedListHead* next = nullptr;
  uint64_t hash = 0;
  const void* type = nullptr;  ///< identifies the type of the elements
  std::atomic<uint32_t> references = 1;
};

/// Returns the block with this hash and type for which `equals` is true, else the one that `make`
/// returns. The caller owns a reference.
CAPSTAN_EXPORT SharedListHead& ShareList(uint64_t hash, const void* type,
                                         const std::function<bool(SharedListHead&)>& equals,
                                         const std::function<SharedListHead*()>& make);
/// Drops a reference. If it was the last one, returns true, and the caller owns the block.
CAPSTAN_EXPORT bool ReleaseSharedList(SharedListHead& head);

}  // namespace internal

template <class T>
class List {
 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  List() = default;
  List(std::initializer_list<T> values) {
    reserve(values.size());
    for (const T& value : values) push_back(value);
  }
  List(const List& other) {
    reserve(other.size());
    for (const T& value : other) push_back(value);
  }
  List(List&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  List& operator=(List other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~List() { Free(); }

  bool empty() const { return size() == 0; }
  size_t size() const { return block_ ? block_->size : 0; }
  T* data() {
    if (is_shared()) Reallocate(size());
    return block_ ? Elements(block_) : nullptr;
  }
  const T* data() const { return block_ ? Elements(block_) : nullptr; }
  T* begin() { return data(); }
  T* end() { return data() + size(); }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size(); }
  T& operator[](size_t index) { return data()[index]; }
  const T& operator[](size_t index) const { return data()[index]; }
  T& front() { return data()[0]; }
  const T& front() const { return data()[0]; }
  T& back() { return data()[size() - 1]; }
  const T& back() const { return data()[size() - 1]; }

  void push_back(T value) { emplace_back(std::move(value)); }
  template <class... Args>
  T& emplace_back(Args&&... args) {
    const size_t count = size();
    if (!block_ || count >= block_->capacity) {
      // Construct the value first: an argument may refer to an element of the block that is about
      // to move.
      T value(std::forward<Args>(args)...);
      Reallocate(count == 0 ? 1 : count * 2);
      T* slot = std::construct_at(Elements(block_) + count, std::move(value));
      ++block_->size;
      return *slot;
    }
    T* slot = std::construct_at(Elements(block_) + count, std::forward<Args>(args)...);
    ++block_->size;
    return *slot;
  }
  void pop_back() {
    std::destroy_at(&back());
    if (--block_->size == 0) Free();
  }
  T* erase(T* position) {
    const size_t index = static_cast<size_t>(position - begin());
    std::move(position + 1, end(), position);
    pop_back();
    return begin() + index;
  }
  void clear() { Free(); }
  void reserve(size_t count) {
    if (count > (block_ ? block_->capacity : 0)) Reallocate(std::max(count, size()));
  }
  void shrink_to_fit() {
    if (block_ && block_->size < block_->capacity) Reallocate(size());
  }

  /// Replaces the block with the one that all lists of this type share for which `equal` is true.
  /// Equal lists must have equal hashes.
  void Share(uint64_t hash, const std::function<bool(const List&, const List&)>& equal) {
    if (!block_ || is_shared()) return;
    internal::SharedListHead& head = internal::ShareList(
        hash, &kType,
        [&](internal::SharedListHead& other) {
          List view;
          view.block_ = BlockAfter(other);
          const bool same = equal(view, *this);
          view.block_ = nullptr;  // the view owns nothing
          return same;
        },
        [this] { return NewSharedBlock(); });
    Free();
    block_ = BlockAfter(head);
  }
  bool is_shared() const { return block_ && block_->capacity == 0; }

  friend bool operator==(const List& a, const List& b) {
    if (a.block_ == b.block_) return true;
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i) {
      if (!(a[i] == b[i])) return false;
    }
    return true;
  }

 private:
  struct alignas(8) Block {
    uint32_t size;
    uint32_t capacity;  // 0: a shared block, after a SharedListHead
  };
  static_assert(alignof(T) <= 8);
  static constexpr char kType = 0;  // its address tells shared blocks of this type from others

  static T* Elements(Block* block) { return reinterpret_cast<T*>(block + 1); }
  static Block* BlockAfter(internal::SharedListHead& head) {
    return reinterpret_cast<Block*>(&head + 1);
  }
  static internal::SharedListHead& HeadBefore(Block* block) {
    return reinterpret_cast<internal::SharedListHead*>(block)[-1];
  }

  // A block with a size of its own and no elements.
  static Block* NewBlock(void* memory, size_t size, size_t capacity) {
    return ::new (memory) Block{static_cast<uint32_t>(size), static_cast<uint32_t>(capacity)};
  }
  void Reallocate(size_t capacity) {
    void* memory = ::operator new(sizeof(Block) + capacity * sizeof(T));
    Block* fresh = NewBlock(memory, size(), capacity);
    if (is_shared()) {
      std::uninitialized_copy_n(Elements(block_), size(), Elements(fresh));
    } else if (block_) {
      std::uninitialized_move_n(Elements(block_), size(), Elements(fresh));
    }
    Free();
    block_ = fresh;
  }
  // Moves the elements there.
  internal::SharedListHead* NewSharedBlock() {
    void* memory =
        ::operator new(sizeof(internal::SharedListHead) + sizeof(Block) + size() * sizeof(T));
    auto* head = ::new (memory) internal::SharedListHead();
    Block* block = NewBlock(BlockAfter(*head), size(), 0);
    std::uninitialized_move_n(Elements(block_), size(), Elements(block));
    return head;
  }
  void Free() {
    Block* block = std::exchange(block_, nullptr);
    if (!block) return;
    void* memory = block;
    if (block->capacity == 0) {
      internal::SharedListHead& head = HeadBefore(block);
      if (!internal::ReleaseSharedList(head)) return;
      memory = &head;
    }
    std::destroy_n(Elements(block), block->size);
    ::operator delete(memory);
  }

  Block* block_ = nullptr;
};

}  // namespace capstan
