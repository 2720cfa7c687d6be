#pragma once

/// The shared parts of the workload kinds: defaults and validation of selectors, pod templates,
/// amounts and counts.

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/strategy/spec_status_strategy.h"
#include "apiserver/validation/field_error.h"
#include "apiserver/validation/field_path.h"
#include "json/value.h"

namespace capstan::testing::server {

/// `workload` is the name in error texts: "deployment".
void ValidateWorkloadSelector(const json::Value& spec, std::string_view workload,
                              const FieldPath& path, FieldErrors& errors);
/// Rejects template fields that do not fit a workload that replaces its pods when they end: a
/// restartPolicy other than Always, and activeDeadlineSeconds. `kind` is the name in error texts:
/// "ReplicaSet".
void ValidateAlwaysRestarts(const json::Value& spec, std::string_view kind, const FieldPath& path,
                            FieldErrors& errors);
/// Adds the API's Invalid error for immutable fields if `field` has changed.
void ValidateImmutable(const json::Value& spec, const json::Value& before, std::string_view field,
                       const FieldPath& path, FieldErrors& errors);
void ValidateSelectorUnchanged(const json::Value& object, const json::Value& before,
                               FieldErrors& errors);

/// Returns the number in `amount`, a number of pods or a percentage: both "25%" and 25 give 25.
int64_t AmountOf(const json::Value& amount);
void ValidateAmount(const json::Value& amount, const FieldPath& path, FieldErrors& errors);
/// Rejects percentages above 100%.
void ValidateAtMostAll(const json::Value& amount, const FieldPath& path, FieldErrors& errors);

/// The `counts` fields of `status` must not be negative.
void ValidateCounts(const json::Value& status, std::initializer_list<std::string_view> counts,
                    FieldErrors& errors);
/// The `parts` fields of `status` count some of the "replicas", so they must not be greater.
void ValidateReplicaParts(const json::Value& status, std::initializer_list<std::string_view> parts,
                          FieldErrors& errors);
void ValidateCollisionCount(const json::Value& object, const json::Value& before,
                            FieldErrors& errors);

/// The strategy base of kinds with a pod template at spec.template.
class WorkloadStrategy : public SpecStatusStrategy {
 public:
  void Default(json::Value& object) const override;
  std::vector<std::string> Warnings(const json::Value& object) const override;
  std::vector<std::string> WarningsOfUpdate(const json::Value& object,
                                            const json::Value& before) const override;
};

}  // namespace capstan::testing::server
