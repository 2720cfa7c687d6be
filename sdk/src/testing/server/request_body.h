#pragma once

// The object in a write's body.

#include <string>
#include <string_view>

#include "testing/server/decoding.h"
#include "testing/server/request.h"

namespace capstan::testing::server {

// The body as an object of `type` in `api_version` ("apps/v1"), which are set where the body leaves
// them out. Errors: BadRequest, UnsupportedMediaType, in the API's words.
Result<Decoded> ReadBody(const ApiRequest& request, std::string_view api_version,
                         const ObjectType& type, FieldValidation validation);
// As the request's resource.
Result<Decoded> ReadObject(const ApiRequest& request, FieldValidation validation);

}  // namespace capstan::testing::server
