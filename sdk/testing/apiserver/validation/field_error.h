#pragma once

/// Validation errors with the API's texts (apimachinery's field.Error).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/runtime/status.h>

#include "json/value.h"

namespace capstan::testing::server {

/// Returns `text` in quotes, escaped as Go's %q does.
std::string Quoted(std::string_view text);

struct FieldError {
  enum class Type : uint8_t {
    kRequired,
    kInvalid,
    kNotSupported,
    kForbidden,
    kTooLong,
    kTooMany,
    kDuplicate,
    kNotFound,
    kTypeInvalid,
  };
  Type type = Type::kInvalid;
  std::string field;   ///< "spec.template.spec.containers[0].image"
  std::string value;   ///< the invalid value as the API prints it; "" if it prints none
  std::string detail;  ///< "must be greater than or equal to 0"

  /// Returns the reason of the cause: "FieldValueInvalid".
  std::string_view Reason() const;
  /// Returns the error without the field: "Invalid value: -1: must be greater than or equal to 0".
  std::string Body() const;
};

class FieldErrors {
 public:
  void Required(std::string field, std::string detail = {});
  /// `value` is printed as the API does: strings quoted, objects as JSON.
  void Invalid(std::string field, const json::Value& value, std::string detail);
  void NotSupported(std::string field, const json::Value& value,
                    const std::vector<std::string>& supported);
  void Forbidden(std::string field, std::string detail);
  void TooLong(std::string field, int64_t most);
  void TooMany(std::string field, int64_t actual, int64_t most);
  void Duplicate(std::string field, const json::Value& value);
  void NotFound(std::string field, const json::Value& value);
  void Add(FieldError error) { errors_.push_back(std::move(error)); }

  bool empty() const { return errors_.empty(); }
  const std::vector<FieldError>& all() const { return errors_; }
  /// Returns one error as "spec.replicas: Invalid value: ...", several as "[..., ...]". Each text
  /// occurs once.
  std::string ToString() const;

 private:
  std::vector<FieldError> errors_;
};

}  // namespace capstan::testing::server
