#include "fenceposts.h"

#include <algorithm>
#include <string>

namespace capstan::deployment {
namespace {

Result<int64_t> Scaled(const std::optional<api::IntOrString>& value, int64_t replicas,
                       bool round_up, std::string_view field) {
  if (!value) return int64_t{0};
  Result<int64_t> scaled = value->Scaled(replicas, round_up);
  if (!scaled) {
    return Status::Terminal("spec.strategy.rollingUpdate." + std::string(field) + ": " +
                            scaled.status().message());
  }
  return std::max<int64_t>(0, *scaled);
}

}  // namespace

Result<Fenceposts> ResolveFenceposts(const Deployment& deployment) {
  if (!IsRollingUpdate(deployment)) return Fenceposts{};
  const api::apps::v1::RollingUpdateDeployment unset;
  const auto& limits =
      deployment.spec.strategy.rollingUpdate ? *deployment.spec.strategy.rollingUpdate : unset;
  const int64_t replicas = ReplicasOf(deployment);

  Result<int64_t> surge = Scaled(limits.maxSurge, replicas, true, "maxSurge");
  if (!surge) return surge.status();
  Result<int64_t> unavailable = Scaled(limits.maxUnavailable, replicas, false, "maxUnavailable");
  if (!unavailable) return unavailable.status();
  if (*surge == 0 && *unavailable == 0) *unavailable = 1;

  // The sum must fit into the API's 32 bits, because it is written into an annotation.
  const int64_t room = std::numeric_limits<int32_t>::max() - replicas;
  return Fenceposts{std::min(*surge, room), std::min(*unavailable, replicas)};
}

Fenceposts FencepostsOrNone(const Deployment& deployment) {
  Result<Fenceposts> resolved = ResolveFenceposts(deployment);
  return resolved ? *resolved : Fenceposts{};
}

}  // namespace capstan::deployment
