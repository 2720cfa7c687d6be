#pragma once

/// List<T>: a sequence in 8 bytes. Most lists of an API object are short or empty.
///
/// A null handle is the empty list. Otherwise one heap block holds size, capacity and elements. The
/// interface is the part of std::vector that API objects need. References are invalidated as in
/// std::vector.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace capstan {

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
  T* data() { return block_ ? Elements(block_) : nullptr; }
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
    if (!block_ || count == block_->capacity) {
      // Construct the value first: an argument may refer to an element of the block that is about
      // to move.
      T value(std::forward<Args>(args)...);
      Reallocate(count == 0 ? 1 : count * 2);
      T* slot = std::construct_at(data() + count, std::move(value));
      ++block_->size;
      return *slot;
    }
    T* slot = std::construct_at(data() + count, std::forward<Args>(args)...);
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
    if (count > (block_ ? block_->capacity : 0)) Reallocate(count);
  }
  void shrink_to_fit() {
    if (block_ && block_->size < block_->capacity) Reallocate(block_->size);
  }

  friend bool operator==(const List& a, const List& b) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i) {
      if (!(a[i] == b[i])) return false;
    }
    return true;
  }

 private:
  struct alignas(8) Block {
    uint32_t size;
    uint32_t capacity;
  };
  static_assert(alignof(T) <= 8);

  static T* Elements(Block* block) { return reinterpret_cast<T*>(block + 1); }

  void Reallocate(size_t capacity) {
    auto* fresh = static_cast<Block*>(::operator new(sizeof(Block) + capacity * sizeof(T)));
    fresh->size = static_cast<uint32_t>(size());
    fresh->capacity = static_cast<uint32_t>(capacity);
    std::uninitialized_move(begin(), end(), Elements(fresh));
    Free();
    block_ = fresh;
  }
  void Free() {
    if (!block_) return;
    std::destroy(begin(), end());
    ::operator delete(block_);
    block_ = nullptr;
  }

  Block* block_ = nullptr;
};

}  // namespace capstan
