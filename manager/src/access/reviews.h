#pragma once

/// The objects for authentication and authorization by the API server: TokenReview,
/// SubjectAccessReview, and the ConfigMap in which the API server publishes the certificate
/// authorities that it trusts. They have only the fields that are used.
/// https://kubernetes.io/docs/reference/kubernetes-api/authentication-resources/token-review-v1/
/// https://kubernetes.io/docs/reference/kubernetes-api/authorization-resources/subject-access-review-v1/

#include <string>

#include <capstan/api/descriptor.h>
#include <capstan/api/meta_v1.h>

namespace capstan::manager {

struct ReviewedUser {
  std::string username;
  std::string uid;
  List<std::string> groups;
  RawJson extra;
};
struct TokenReviewSpec {
  std::string token;
};
struct TokenReviewStatus {
  bool authenticated = false;
  ReviewedUser user;
};
struct TokenReview {
  api::ObjectMeta metadata;
  TokenReviewSpec spec;
  TokenReviewStatus status;
};

struct NonResourceAttributes {
  std::string path;
  std::string verb;
};
struct AccessReviewSpec {
  NonResourceAttributes nonResourceAttributes;
  std::string user;
  List<std::string> groups;
  std::string uid;
  RawJson extra;
};
struct AccessReviewStatus {
  bool allowed = false;
  bool denied = false;
  std::string reason;
};
struct AccessReview {
  api::ObjectMeta metadata;
  AccessReviewSpec spec;
  AccessReviewStatus status;
};

struct TrustConfigMap {
  api::ObjectMeta metadata;
  StringMap data;
};

}  // namespace capstan::manager

CAPSTAN_DECLARE_TYPE(capstan::manager::ReviewedUser)
CAPSTAN_DECLARE_TYPE(capstan::manager::TokenReviewSpec)
CAPSTAN_DECLARE_TYPE(capstan::manager::TokenReviewStatus)
CAPSTAN_DECLARE_RESOURCE(capstan::manager::TokenReview)
CAPSTAN_DECLARE_TYPE(capstan::manager::NonResourceAttributes)
CAPSTAN_DECLARE_TYPE(capstan::manager::AccessReviewSpec)
CAPSTAN_DECLARE_TYPE(capstan::manager::AccessReviewStatus)
CAPSTAN_DECLARE_RESOURCE(capstan::manager::AccessReview)
CAPSTAN_DECLARE_RESOURCE(capstan::manager::TrustConfigMap)
