#pragma once

/// Reads the object in the body of a write.

#include <string>
#include <string_view>

#include "apiserver/codec/decoding.h"
#include "apiserver/http/request.h"
#include "apiserver/http/warnings.h"

namespace capstan::testing::server {

/// Reads the body as an object of `type` in `api_version` ("apps/v1"). A missing apiVersion or kind
/// is filled in. Errors: BadRequest, UnsupportedMediaType, with the API's text.
Result<json::Value> ReadBody(const ApiRequest& request, std::string_view api_version,
                             const ObjectType& type, FieldValidation validation,
                             Warnings& warnings);
/// Reads the body as an object of the request's resource.
Result<json::Value> ReadObject(const ApiRequest& request, FieldValidation validation,
                               Warnings& warnings);

}  // namespace capstan::testing::server
