#pragma once

/// FormatArg: a type-erased argument of a log line, an event or an error.
///
/// Format strings use the syntax of {fmt} ("{} wants {} pods"). libcapstan formats internally, so
/// no formatting library is visible here. To support another type, define a function `void
/// AppendText(std::string& out, const T& value)` in the type's namespace.
///
/// Lifetime: an argument is a borrowed reference. It must not outlive the full expression that
/// created it.

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include <capstan/export.h>

namespace capstan {

template <class T>
concept HasAppendText = requires(std::string& out, const T& value) {
  AppendText(out, value);
};

class CAPSTAN_EXPORT FormatArg {
 public:
  enum class Kind : uint8_t { kNull, kBool, kInt, kUint, kDouble, kString, kCustom };
  using Append = void (*)(std::string& out, const void* value);

  FormatArg(std::nullptr_t) : kind_(Kind::kNull) {}           // NOLINT
  FormatArg(bool value) : kind_(Kind::kBool), int_(value) {}  // NOLINT
  template <std::signed_integral T>
  FormatArg(T value) : kind_(Kind::kInt), int_(value) {}  // NOLINT
  template <std::unsigned_integral T>
  requires(!std::same_as<T, bool>) FormatArg(T value)
      : kind_(Kind::kUint), uint_(value) {}                                    // NOLINT
  FormatArg(double value) : kind_(Kind::kDouble), double_(value) {}            // NOLINT
  FormatArg(std::string_view value) : kind_(Kind::kString), string_(value) {}  // NOLINT
  FormatArg(const char* value) : FormatArg(std::string_view(value)) {}         // NOLINT
  template <class T>
  requires std::is_arithmetic_v<T> FormatArg(const std::optional<T>& value)  // NOLINT
      : FormatArg(value ? FormatArg(*value) : FormatArg(nullptr)) {}
  template <class T>
  requires(std::is_class_v<T>&& std::is_convertible_v<const T&, std::string_view>)
      FormatArg(const T& value)
      : FormatArg(static_cast<std::string_view>(value)) {}  // NOLINT
  template <HasAppendText T>
  requires(!std::is_convertible_v<const T&, std::string_view>) FormatArg(const T& value)  // NOLINT
      : kind_(Kind::kCustom), custom_{&value, [](std::string& out, const void* v) {
                                        AppendText(out, *static_cast<const T*>(v));
                                      }} {}

  Kind kind() const { return kind_; }
  bool AsBool() const { return int_ != 0; }
  int64_t AsInt() const { return int_; }
  uint64_t AsUint() const { return uint_; }
  double AsDouble() const { return double_; }
  std::string_view AsString() const { return string_; }
  /// Appends the value as text, whatever its kind.
  void AppendTo(std::string& out) const;

 private:
  struct Custom {
    const void* value;
    Append append;
  };
  Kind kind_;
  union {
    int64_t int_;
    uint64_t uint_;
    double double_;
    std::string_view string_;
    Custom custom_;
  };
};

/// Formats the arguments. If the format string does not fit the arguments, returns the format
/// string with a note. Does not throw because of it.
CAPSTAN_EXPORT std::string FormatText(std::string_view format,
                                      std::initializer_list<FormatArg> args);

template <class... Args>
std::string Format(std::string_view format, const Args&... args) {
  return FormatText(format, {FormatArg(args)...});
}

}  // namespace capstan
