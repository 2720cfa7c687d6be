#include "access/reviews.h"

CAPSTAN_DEFINE_TYPE(capstan::manager::ReviewedUser, CAPSTAN_FIELD(username), CAPSTAN_FIELD(uid),
                    CAPSTAN_FIELD(groups), CAPSTAN_FIELD(extra))
CAPSTAN_DEFINE_TYPE(capstan::manager::TokenReviewSpec, CAPSTAN_FIELD(token))
CAPSTAN_DEFINE_TYPE(capstan::manager::TokenReviewStatus, CAPSTAN_FIELD(authenticated),
                    CAPSTAN_FIELD(user))
CAPSTAN_DEFINE_RESOURCE(capstan::manager::TokenReview,
                        (.group = "authentication.k8s.io", .version = "v1",
                         .resource = "tokenreviews", .kind = "TokenReview"),
                        CAPSTAN_FIELD(metadata), CAPSTAN_FIELD(spec), CAPSTAN_FIELD(status))

CAPSTAN_DEFINE_TYPE(capstan::manager::NonResourceAttributes, CAPSTAN_FIELD(path),
                    CAPSTAN_FIELD(verb))
CAPSTAN_DEFINE_TYPE(capstan::manager::AccessReviewSpec, CAPSTAN_FIELD(nonResourceAttributes),
                    CAPSTAN_FIELD(user), CAPSTAN_FIELD(groups), CAPSTAN_FIELD(uid),
                    CAPSTAN_FIELD(extra))
CAPSTAN_DEFINE_TYPE(capstan::manager::AccessReviewStatus, CAPSTAN_FIELD(allowed),
                    CAPSTAN_FIELD(denied), CAPSTAN_FIELD(reason))
CAPSTAN_DEFINE_RESOURCE(capstan::manager::AccessReview,
                        (.group = "authorization.k8s.io", .version = "v1",
                         .resource = "subjectaccessreviews", .kind = "SubjectAccessReview"),
                        CAPSTAN_FIELD(metadata), CAPSTAN_FIELD(spec), CAPSTAN_FIELD(status))

CAPSTAN_DEFINE_RESOURCE(capstan::manager::TrustConfigMap,
                        (.group = "", .version = "v1", .resource = "configmaps",
                         .kind = "ConfigMap", .namespaced = true),
                        CAPSTAN_FIELD(metadata), CAPSTAN_FIELD(data))
