#pragma once

/// Which pods a ReplicaSet owns, adopts and lets go: by label selector and controller reference.
/// https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/#how-a-replicaset-works

#include <cstdint>
#include <string>

#include <capstan/api/meta_v1.h>

namespace capstan::replicaset {

enum class Claim : uint8_t {
  kIgnore,  ///< of no concern
  kOwned,
  kAdopt,    ///< an orphan that matches
  kRelease,  ///< owned, but it does not match any more
};

/// An owner that is being deleted neither adopts nor releases; what is being deleted is not
/// adopted.
Claim Classify(const api::ObjectMeta& owner, const Selector& selector,
               const api::ObjectMeta& child);

/// Strategic merge patches that add, or drop, one owner reference. They name the child's UID, which
/// makes the server refuse them for another object of the same name.
std::string AdoptionPatch(const api::OwnerReference& owner, const Uid& child);
std::string ReleasePatch(const Uid& owner, const Uid& child);

}  // namespace capstan::replicaset
