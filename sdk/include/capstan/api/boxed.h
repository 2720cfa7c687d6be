#pragma once

/// Boxed<T>: a struct of members that few controllers read, in an 8-byte handle.
///
/// A null handle reads as a default T. The T is allocated when one of its members is decoded, so
/// that an object pays 8 bytes for members that nobody reads, and for members that are not set.
///
///     int32_t priority = pod.spec.extras->priority.value_or(0);
///     pod.spec.extras.Edit().priority = 5;
///
/// Its members are described as members of the struct around it (CAPSTAN_FIELD_IN).
///
/// Threads: a value like std::string.

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
  /// Allocates what is not there yet.
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
