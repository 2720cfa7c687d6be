#pragma once

/// Determines the new ReplicaSet and its annotations, and creates a new one.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "types.h"

namespace capstan::deployment {

/// Returns a template in the form for comparison: without the pod-template-hash label, which only
/// ReplicaSets have.
RawJson WithoutHash(const RawJson& pod_template);
bool SameTemplate(const RawJson& a, const RawJson& b);

/// Returns the index of the first of `sets` whose template is the Deployment's, or nullopt. If
/// `sets` is sorted oldest first, the result is the oldest one. Several equal ReplicaSets then
/// always give the same result.
std::optional<size_t> FindNewReplicaSet(const Deployment& deployment,
                                        const std::vector<ReplicaSetPtr>& sets);

/// The revision annotation: 0 if it is missing, nullopt if it is not a number.
std::optional<int64_t> RevisionOf(const ReplicaSet& set);
/// The highest revision; 0 if there is none.
int64_t MaxRevision(const std::vector<const ReplicaSet*>& sets);
/// The second highest revision, which is the target of `kubectl rollout undo`; 0 if there is none.
int64_t LastRevision(const std::vector<const ReplicaSet*>& sets);

/// Updates the annotations of the new ReplicaSet: the Deployment's annotations (except those that
/// belong to only one of the two kinds), the revision, and the previous revisions. Returns whether
/// they must be written.
bool UpdateNewReplicaSetAnnotations(const StringMap& deployment_annotations, int64_t new_revision,
                                    StringMap& annotations);

/// Returns whether an annotation belongs only to Deployments or only to ReplicaSets.
bool IsExcludedFromCopy(std::string_view annotation);

/// Returns a hash of ten characters for `pod_template`. Each collision count gives another hash.
std::string PodTemplateHash(const RawJson& pod_template, std::optional<int32_t> collision_count);

/// Returns <deployment>-<hash>. The Deployment's name is truncated if the result would not be a
/// valid name.
std::string ReplicaSetName(std::string_view deployment, std::string_view hash);

/// Creates the ReplicaSet for the Deployment's template, with `replicas` replicas.
ReplicaSet MakeReplicaSet(const Deployment& deployment, int64_t revision, int64_t replicas);

}  // namespace capstan::deployment
