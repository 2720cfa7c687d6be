#pragma once

/// Which ReplicaSet is the new one, what its annotations shall be, and how a new one is made.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "types.h"

namespace capstan::deployment {

/// A template in the form in which templates are compared: without the pod-template-hash label,
/// which ReplicaSets have and Deployments have not.
RawJson WithoutHash(const RawJson& pod_template);
bool SameTemplate(const RawJson& a, const RawJson& b);

/// The index of the first of `sets` whose template is the Deployment's, or nullopt. With `sets`
/// oldest first that is the oldest, so that several equal ones always yield the same.
std::optional<size_t> FindNewReplicaSet(const Deployment& deployment,
                                        const std::vector<ReplicaSetPtr>& sets);

/// The revision annotation: 0 when there is none, nullopt when it is no number.
std::optional<int64_t> RevisionOf(const ReplicaSet& set);
/// The highest; 0 when there is none.
int64_t MaxRevision(const std::vector<const ReplicaSet*>& sets);
/// The second highest, which `kubectl rollout undo` goes back to; 0 when there is none.
int64_t LastRevision(const std::vector<const ReplicaSet*>& sets);

/// Brings the annotations of the new ReplicaSet up to date: those of the Deployment, except what
/// belongs to either alone, the revision, and the revisions that it had before. Returns whether
/// they must be written.
bool UpdateNewReplicaSetAnnotations(const StringMap& deployment_annotations, int64_t new_revision,
                                    StringMap& annotations);

/// Whether an annotation belongs to a Deployment or a ReplicaSet alone.
bool IsKeptOutOfCopies(std::string_view annotation);

/// A name part of ten characters for `pod_template`; another one for each collision count.
std::string PodTemplateHash(const RawJson& pod_template, std::optional<int32_t> collision_count);

/// <deployment>-<hash>, the former cut so that the whole is a valid name.
std::string ReplicaSetName(std::string_view deployment, std::string_view hash);

/// The ReplicaSet for the Deployment's template, of `replicas` replicas.
ReplicaSet MakeReplicaSet(const Deployment& deployment, int64_t revision, int64_t replicas);

}  // namespace capstan::deployment
