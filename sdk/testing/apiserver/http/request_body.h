#pragma once

// The object in a write's body.

#include <string>
#include <string_view>

#include "apiserver/codec/decoding.h"
#include "apiserver/http/request.h"
#include "apiserver/http/warnings.h"

namespace capstan::testing::server {

// The body as an object of `type` in `api_version` ("apps/v1"), which are set where the body leaves
// them out. Errors: BadRequest, UnsupportedMediaType, in the API's words.
Result<json::Value> ReadBody(const ApiRequest& request, std::string_view api_version,
                             const ObjectType& type, FieldValidation validation,
                             Warnings& warnings);
// As the request's resource.
Result<json::Value> ReadObject(const ApiRequest& request, FieldValidation validation,
                               Warnings& warnings);

}  // namespace capstan::testing::server
