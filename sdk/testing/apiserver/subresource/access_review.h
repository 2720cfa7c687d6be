#pragma once

/// Answers the reviews of authorization.k8s.io/v1 and authentication.k8s.io/v1. All users are
/// authenticated and allowed to do everything.

#include <string_view>

#include "apiserver/http/request.h"
#include "json/value.h"

namespace capstan::testing::server {

/// Whether the group has a review with this resource name ("selfsubjectaccessreviews").
bool IsReview(std::string_view group, std::string_view name);
/// Returns the review in `body` with its status.
Result<json::Value> AnswerReview(std::string_view group, std::string_view name,
                                 std::string_view body, const User& user);

}  // namespace capstan::testing::server
