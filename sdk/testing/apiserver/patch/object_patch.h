#pragma once

/// Parses the body of a patch request and applies it to objects.

#include <string>
#include <vector>

#include "apiserver/codec/decoding.h"
#include "apiserver/http/request.h"
#include "apiserver/http/warnings.h"

namespace capstan::testing::server {

class ObjectPatch {
 public:
  /// Parses a JSON Patch, merge patch or strategic merge patch, depending on the content type.
  /// Errors: UnsupportedMediaType, RequestTooLarge. A malformed patch is an error of Apply, because
  /// NotFound takes precedence over it.
  static Result<ObjectPatch> Of(const ApiRequest& request, FieldValidation validation);

  /// Applies the patch to `before` and conforms the result to `type`.
  Result<json::Value> Apply(const json::Value& before, const ObjectType& type,
                            Warnings& warnings) const;

 private:
  enum class Format : uint8_t { kJson, kMerge, kStrategic };

  Result<json::Value> Patched(const json::Value& before, const ObjectType& type) const;
  // Returns the error for a patched object that is not valid.
  Status InvalidPatch(const json::Value& patched, const std::string& why) const;

  Format format_ = Format::kMerge;
  FieldValidation validation_ = FieldValidation::kWarn;
  bool custom_ = false;
  Status malformed_;
  json::Value patch_;
  std::vector<std::string> duplicates_;
};

}  // namespace capstan::testing::server
