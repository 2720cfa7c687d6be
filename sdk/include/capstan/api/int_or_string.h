#pragma once

/// IntOrString: util/intstr IntOrString, an integer or a string such as "25%".

#include <cstdint>
#include <string>

#include <capstan/api/interned_string.h>
#include <capstan/export.h>
#include <capstan/runtime/status.h>

namespace capstan::api {

class CAPSTAN_EXPORT IntOrString {
 public:
  IntOrString() = default;
  IntOrString(int32_t value) : int_(value) {}                                     // NOLINT
  IntOrString(InternedString text) : is_string_(true), text_(std::move(text)) {}  // NOLINT
  IntOrString(const char* text) : IntOrString(InternedString(text)) {}            // NOLINT

  bool is_string() const { return is_string_; }
  int32_t int_value() const { return int_; }
  std::string_view string_value() const { return text_; }

  /// Returns the integer, or the percentage of `total`, rounded up or down. The error names the
  /// text if it is not a percentage. (intstr.GetScaledValueFromIntOrPercent)
  Result<int64_t> Scaled(int64_t total, bool round_up) const;
  std::string ToString() const;
  friend bool operator==(const IntOrString&, const IntOrString&) = default;

 private:
  bool is_string_ = false;
  int32_t int_ = 0;
  InternedString text_;
};

CAPSTAN_EXPORT void AppendText(std::string& out, const IntOrString& value);

}  // namespace capstan::api
