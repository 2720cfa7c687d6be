#include "apiserver/subresource/access_review.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include <capstan/runtime/format.h>

#include "apiserver/codec/decoding.h"
#include "apiserver/http/api_errors.h"

namespace capstan::testing::server {
namespace {

using json::Value;

constexpr std::string_view kAuthentication = "authentication.k8s.io";
constexpr std::string_view kAuthorization = "authorization.k8s.io";

struct Review {
  std::string_view group;
  std::string_view name;
  std::string_view kind;
  Result<Value> (*answer)(const Value& review, const User& user);  // the status
};

Value UserInfo(const User& user) {
  Value groups = Value::Array();
  for (const std::string& group : user.groups) groups.Append(group);
  Value info = Value::Object({{"username", user.name}, {"groups", std::move(groups)}});
  if (!user.uid.empty()) info.Set("uid", user.uid);
  return info;
}

Result<Value> Allow(const Value& review, const User&) {
  const Value& spec = review.Get("spec");
  if (spec.Get("resourceAttributes").IsObject() == spec.Get("nonResourceAttributes").IsObject()) {
    FieldErrors errors;
    errors.Invalid("spec.resourceAttributes", Value(),
                   "exactly one of nonResourceAttributes or resourceAttributes must be specified");
    Resource resource;
    resource.group = kAuthorization;
    return InvalidError(resource, "", errors);
  }
  return Value::Object({{"allowed", true}});
}

Value Everything() { return Value::Array({"*"}); }

Result<Value> Rules(const Value&, const User&) {
  Value resources = Value::Object(
      {{"verbs", Everything()}, {"apiGroups", Everything()}, {"resources", Everything()}});
  Value others = Value::Object({{"verbs", Everything()}, {"nonResourceURLs", Everything()}});
  return Value::Object({{"resourceRules", Value::Array({std::move(resources)})},
                        {"nonResourceRules", Value::Array({std::move(others)})},
                        {"incomplete", false}});
}

Result<Value> WhoAmI(const Value&, const User& user) {
  return Value::Object({{"userInfo", UserInfo(user)}});
}

Result<Value> ReviewToken(const Value& review, const User& user) {
  if (review.Get("spec", "token").IsEmpty()) {
    return BadRequestError("token is required for TokenReview in authentication");
  }
  return Value::Object({{"authenticated", true}, {"user", UserInfo(user)}});
}

constexpr std::array kReviews = {
    Review{kAuthentication, "selfsubjectreviews", "SelfSubjectReview", WhoAmI},
    Review{kAuthentication, "tokenreviews", "TokenReview", ReviewToken},
    Review{kAuthorization, "localsubjectaccessreviews", "LocalSubjectAccessReview", Allow},
    Review{kAuthorization, "selfsubjectaccessreviews", "SelfSubjectAccessReview", Allow},
    Review{kAuthorization, "selfsubjectrulesreviews", "SelfSubjectRulesReview", Rules},
    Review{kAuthorization, "subjectaccessreviews", "SubjectAccessReview", Allow},
};

const Review* Find(std::string_view group, std::string_view name) {
  for (const Review& review : kReviews) {
    if (review.group == group && review.name == name) return &review;
  }
  return nullptr;
}

}  // namespace

bool IsReview(std::string_view group, std::string_view name) {
  return Find(group, name) != nullptr;
}

Result<Value> AnswerReview(std::string_view group, std::string_view name, std::string_view body,
                           const User& user) {
  const Review* review = Find(group, name);
  if (!review) return NoSuchPathError();
  std::vector<std::string> duplicates;
  auto value = ParseBody(body, "application/json", duplicates);
  if (!value) return value.status();
  const std::string api_version = Format("{}/v1", group);
  const auto names = [&value](std::string_view member, std::string_view wanted) {
    return value->Get(member).IsEmpty() || value->Get(member).AsString() == wanted;
  };
  if (!value->IsObject() || !names("apiVersion", api_version) || !names("kind", review->kind)) {
    return BadRequestError(
        Format("the object provided is unrecognized (must be of type {})", review->kind));
  }
  auto status = review->answer(*value, user);
  if (!status) return status.status();
  Value answer = Value::Object({{"kind", review->kind},
                                {"apiVersion", api_version},
                                {"metadata", Value::Object()},
                                {"status", *std::move(status)}});
  if (const Value& spec = value->Get("spec"); spec.IsObject()) answer.Set("spec", spec);
  return answer;
}

}  // namespace capstan::testing::server
