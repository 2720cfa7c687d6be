#include "apiserver/validation/security_context.h"

#include <cstdint>
#include <string>

#include "apiserver/validation/names.h"

namespace capstan::testing::server {
namespace {

constexpr int64_t kGreatestId = INT32_MAX;

void ValidateId(const json::Value& id, const FieldPath& path, FieldErrors& errors) {
  if (id.AsInteger() >= 0 && id.AsInteger() <= kGreatestId) return;
  errors.Invalid(path.Text(), id, BetweenInclusive(0, kGreatestId));
}

void ValidateIds(const json::Value& context, std::initializer_list<std::string_view> fields,
                 const FieldPath& path, FieldErrors& errors) {
  for (const std::string_view field : fields) {
    ValidateId(context.Get(field), path.Child(field), errors);
  }
}

}  // namespace

void ValidateSecurityContext(const json::Value& context, const FieldPath& path,
                             FieldErrors& errors) {
  if (context.IsNull()) return;
  const bool privileged = context.Get("privileged").AsBool();
  if (privileged) errors.Forbidden(path.At("privileged"), "disallowed by cluster policy");
  ValidateIds(context, {"runAsUser", "runAsGroup"}, path, errors);
  const json::Value& escalation = context.Get("allowPrivilegeEscalation");
  if (privileged && escalation.IsBool() && !escalation.AsBool()) {
    errors.Invalid(path.Text(), context,
                   "cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
  }
}

void ValidatePodSecurityContext(const json::Value& pod_spec, const FieldPath& path,
                                FieldErrors& errors) {
  const json::Value& context = pod_spec.Get("securityContext");
  if (context.members().empty()) return;
  ValidateIds(context, {"fsGroup", "runAsUser", "runAsGroup"}, path, errors);
  const auto& groups = context.Get("supplementalGroups").items();
  const FieldPath list = path.Child("supplementalGroups");
  for (size_t i = 0; i < groups.size(); ++i) ValidateId(groups[i], list.Index(i), errors);
  if (pod_spec.Get("shareProcessNamespace").AsBool() && pod_spec.Get("hostPID").AsBool()) {
    errors.Invalid(path.At("shareProcessNamespace"), true,
                   "ShareProcessNamespace and HostPID cannot both be enabled");
  }
}

}  // namespace capstan::testing::server
