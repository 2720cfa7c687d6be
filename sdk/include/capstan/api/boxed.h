#pragma once

/// Boxed<T>: an 8-byte handle to a struct whose members few controllers read.
///
/// A null handle reads as a default T. The T is allocated when one of its members is decoded. An
/// object therefore pays only 8 bytes when nobody reads these members, or when they are not set.
///
///     int32_t priority = pod.spec.extras->priority.value_or(0);
///     pod.spec.extras.Edit().priority = 5;
///
/// The members of T are described as members of the struct that contains the Boxed
/// (CAPSTAN_FIELD_IN).
///
/// Threads: a value with the same guarantees as std::string.

#include <cstddef>
#include <utility>

namespace capstan {

template <class T>
class Boxed {
 public:
  using value_type = T;

  Boxed() = default;
  Boxed(T value) : value_(new T(std::move(value))) {}  // NOLINT: as a member of type T would
  Boxed(const Boxed& other) : value_(other.value_ ? new T(*other.value_) : nullptr) {}
  Boxed(Boxed&& other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
  Boxed& operator=(Boxed other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Boxed() { delete value_; }

  const T& operator*() const { return value_ ? *value_ : Default(); }
  const T* operator->() const { return &**this; }
  /// Allocates a default T if the handle is null.
  T& Edit() {
    if (!value_) value_ = new T();
    return *value_;
  }
  bool allocated() const { return value_ != nullptr; }
  void Reset() { delete std::exchange(value_, nullptr); }

 private:
  static const T& Default() {
    static const T* const value = new T();
    return *value;
  }

  T* value_ = nullptr;
};

}  // namespace capstan
