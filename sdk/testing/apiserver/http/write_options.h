#pragma once

/// Reads the options of a write from the query, or for a deletion from the body.

#include <optional>
#include <string>

#include "apiserver/codec/decoding.h"
#include "apiserver/http/request.h"
#include "apiserver/storage/registry.h"

namespace capstan::testing::server {

struct WriteOptions {
  bool dry_run = false;
  std::string field_manager;  ///< from the query; "" if absent
  FieldValidation validation = FieldValidation::kWarn;
  bool force = false;
};

/// `kind` is CreateOptions, UpdateOptions or PatchOptions; error texts name it. Errors: Invalid,
/// BadRequest.
Result<WriteOptions> ReadWriteOptions(const ApiRequest& request, std::string_view kind);

/// Reads the options from the body, or from the query if there is no body.
Result<DeleteOptions> ReadDeleteOptions(const ApiRequest& request);
/// Reads the options from a DeleteOptions object.
Result<DeleteOptions> DeleteOptionsOf(const json::Value& object);

}  // namespace capstan::testing::server
