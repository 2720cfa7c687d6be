#pragma once

// What the kinds that keep pods running share: defaults and checks of selectors, pod templates,
// amounts and counts.

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

/// `workload` is the word of the error texts: "deployment".
void ValidateWorkloadSelector(const json::Value& spec, std::string_view workload,
                              const FieldPath& path, FieldErrors& errors);
/// What a template may not have, as its pods are replaced when they end. `kind` is the word of the
/// error texts: "ReplicaSet".
void ValidateAlwaysRestarts(const json::Value& spec, std::string_view kind, const FieldPath& path,
                            FieldErrors& errors);
/// An Invalid error with the API's word for immutable fields, unless `field` is as it was.
void ValidateImmutable(const json::Value& spec, const json::Value& before, std::string_view field,
                       const FieldPath& path, FieldErrors& errors);
void ValidateSelectorKept(const json::Value& object, const json::Value& before,
                          FieldErrors& errors);

/// A number of pods or a percentage of them: "25%" is 25, as 25 is.
int64_t AmountOf(const json::Value& amount);
void ValidateAmount(const json::Value& amount, const FieldPath& path, FieldErrors& errors);
/// Percentages only.
void ValidateAtMostAll(const json::Value& amount, const FieldPath& path, FieldErrors& errors);

/// None of these fields of `status` may be negative.
void ValidateCounts(const json::Value& status, std::initializer_list<std::string_view> counts,
                    FieldErrors& errors);
/// Each of these fields of `status` counts some of its "replicas".
void ValidateReplicaParts(const json::Value& status, std::initializer_list<std::string_view> parts,
                          FieldErrors& errors);
void ValidateCollisionCount(const json::Value& object, const json::Value& before,
                            FieldErrors& errors);

/// The base of the kinds with a pod template at spec.template.
class WorkloadStrategy : public SpecStatusStrategy {
 public:
  void Default(json::Value& object) const override;
  std::vector<std::string> Warnings(const json::Value& object) const override;
  std::vector<std::string> WarningsOfUpdate(const json::Value& object,
                                            const json::Value& before) const override;
};

}  // namespace capstan::testing::server
