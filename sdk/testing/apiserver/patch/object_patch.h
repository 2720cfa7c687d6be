#pragma once

// A patch request's body, ready to be applied to the objects that a write finds.

#include <string>
#include <vector>

#include "apiserver/codec/decoding.h"
#include "apiserver/http/request.h"
#include "apiserver/http/warnings.h"

namespace capstan::testing::server {

class ObjectPatch {
 public:
  // JSON Patch, merge patch or strategic merge patch, by the content type. Errors:
  // UnsupportedMediaType, RequestTooLarge. A malformed patch is an error of Apply, since an absent
  // object is the graver one.
  static Result<ObjectPatch> Of(const ApiRequest& request, FieldValidation validation);

  // `before` patched, as an object of `type` again.
  Result<json::Value> Apply(const json::Value& before, const ObjectType& type,
                            Warnings& warnings) const;

 private:
  enum class Format : uint8_t { kJson, kMerge, kStrategic };

  Result<json::Value> Patched(const json::Value& before, const ObjectType& type) const;
  // The error about a result that is no valid object.
  Status InvalidPatch(const json::Value& patched, const std::string& why) const;

  Format format_ = Format::kMerge;
  FieldValidation validation_ = FieldValidation::kWarn;
  bool custom_ = false;
  Status malformed_;
  json::Value patch_;
  std::vector<std::string> duplicates_;
};

}  // namespace capstan::testing::server
