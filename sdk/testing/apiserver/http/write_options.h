#pragma once

// What the query (or, for a deletion, the body) of a write asks for.

#include <optional>
#include <string>

#include "apiserver/codec/decoding.h"
#include "apiserver/http/request.h"
#include "apiserver/storage/registry.h"

namespace capstan::testing::server {

struct WriteOptions {
  bool dry_run = false;
  std::string field_manager;  // as asked for; "" when not
  FieldValidation validation = FieldValidation::kWarn;
  bool force = false;
};

// `kind` is CreateOptions, UpdateOptions or PatchOptions, as errors name it. Errors: Invalid,
// BadRequest.
Result<WriteOptions> ReadWriteOptions(const ApiRequest& request, std::string_view kind);

// Of the body, or of the query when there is none.
Result<DeleteOptions> ReadDeleteOptions(const ApiRequest& request);
// Of a DeleteOptions object.
Result<DeleteOptions> DeleteOptionsOf(const json::Value& object);

}  // namespace capstan::testing::server
