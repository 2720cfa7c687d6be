#pragma once

// authorization.k8s.io/v1 and authentication.k8s.io/v1: everybody is who he is and may do
// everything.

#include <string_view>

#include "apiserver/http/request.h"
#include "json/value.h"

namespace capstan::testing::server {

// Whether there is a review of this name in this group, "selfsubjectaccessreviews".
bool IsReview(std::string_view group, std::string_view name);
// The review that `body` asks for, with its status.
Result<json::Value> AnswerReview(std::string_view group, std::string_view name,
                                 std::string_view body, const User& user);

}  // namespace capstan::testing::server
