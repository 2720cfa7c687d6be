#pragma once

/// Ownership: which objects an owner owns, adopts and lets go. (controller_ref_manager of
/// kube-controller-manager)
///
/// An object is owned by who its controller reference names, by UID. An owner adopts the orphans
/// that its selector matches, and releases what it owns and does not match any more:
///
///     auto pods = Claim(client, *replica_set, selector, CandidatesFor(lister, *replica_set));
///     if (!pods) return pods.status();  // what it could not adopt or release is tried again
///
/// https://kubernetes.io/docs/concepts/architecture/garbage-collection/#owners-dependents
///
/// Threads: all functions may be called from any thread.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <capstan/api/meta_v1.h>
#include <capstan/api/object.h>
#include <capstan/cache/lister.h>
#include <capstan/client/client.h>
#include <capstan/controller/controller.h>
#include <capstan/export.h>
#include <capstan/runtime/status.h>

namespace capstan {

enum class Ownership : uint8_t {
  kNone,  ///< of no concern: somebody else's, an orphan that does not match, of another namespace
  kOwned,
  kAdopt,    ///< an orphan that matches
  kRelease,  ///< owned, but it does not match any more
};

/// What `child` is to `owner`. An owner that is being deleted neither adopts nor releases; what is
/// being deleted is not adopted.
CAPSTAN_EXPORT Ownership OwnershipOf(const api::ObjectMeta& owner, const Selector& selector,
                                     const api::ObjectMeta& child);

/// A controller reference to `owner`, an object of type T. It blocks the owner's deletion in the
/// foreground, for which the API server may ask the permission to update the owner's finalizers.
CAPSTAN_EXPORT api::OwnerReference ControllerReferenceTo(const TypeDescriptor& type,
                                                         const api::ObjectMeta& owner);
template <ApiObject T>
api::OwnerReference ControllerReferenceTo(const T& owner) {
  return ControllerReferenceTo(DescriptorOf<T>(), owner.metadata);
}

/// Strategic merge patches that add, or drop, one owner reference. They name the child's UID, which
/// makes the server refuse them for another object of the same name. An adoption is refused too
/// when the child has got another controller.
CAPSTAN_EXPORT std::string AdoptionPatch(const api::OwnerReference& owner, const Uid& child);
CAPSTAN_EXPORT std::string ReleasePatch(const Uid& owner, const Uid& child);

/// The objects that `owner` could have a claim to: those that it owns, and the orphans of its
/// namespace.
template <ApiObject Owner, ApiObject Child>
std::vector<std::shared_ptr<const Child>> CandidatesFor(const Lister<Child>& lister,
                                                        const Owner& owner) {
  auto candidates = lister.OwnedBy(owner.metadata.uid);
  for (auto& orphan : lister.Orphans(owner.metadata.namespace_)) {
    candidates.push_back(std::move(orphan));
  }
  return candidates;
}

/// Whether a change of an object is one that owners may adopt it after: it has no controller, has
/// labels, is not being deleted, and is new or had other labels or a controller before. `before` is
/// null for an addition, `after` for a deletion.
CAPSTAN_EXPORT bool BecameAdoptable(const api::ObjectMeta* before, const api::ObjectMeta* after);

/// For ControllerBuilder::Watches: an orphan that can be adopted wakes every owner of its namespace
/// whose `spec.selector` matches. An empty selector matches nothing here.
///
///     .Watches<Pod>(AdoptersOf<Pod>(context.ListerFor<ReplicaSet>()))
template <ApiObject Child, ApiObject Owner>
KeysFunction<Child> AdoptersOf(Lister<Owner> owners) {
  return [owners = std::move(owners)](const Child* before, const Child* after,
                                      std::vector<NamespacedName>& keys) {
    if (!BecameAdoptable(before ? &before->metadata : nullptr, after ? &after->metadata : nullptr))
      return;
    for (const auto& owner : owners.ListNamespace(after->metadata.namespace_)) {
      const Result<Selector> selector = Selector::From(owner->spec.selector);
      if (!selector || selector->IsEverything()) continue;
      if (selector->Matches(after->metadata.labels)) keys.push_back(api::NameOf(owner->metadata));
    }
  };
}

/// The core of Claim, below, over type descriptors.
CAPSTAN_EXPORT Result<std::vector<ObjectPtr>> ClaimObjects(
    const Client& client, const TypeDescriptor& owner_type, const api::ObjectMeta& owner,
    const Selector& selector, const TypeDescriptor& child_type, std::vector<ObjectPtr> candidates);

/// Adopts and releases as OwnershipOf says, and gives what `owner` owns then, in the order of the
/// candidates: those that it adopts as the server has them, the others as they are given.
///
/// Before the first adoption the API server is asked whether the owner is still there and not being
/// deleted, as the cache may lag behind. A candidate that is gone meanwhile is left out. What fails
/// otherwise does not keep the rest from being tried; the first failure is returned then.
///
/// Owner and child are of built-in kinds, as custom resources know no strategic merge patch.
template <ApiObject Owner, ApiObject Child>
Result<std::vector<std::shared_ptr<const Child>>> Claim(
    const Client& client, const Owner& owner, const Selector& selector,
    const std::vector<std::shared_ptr<const Child>>& candidates) {
  Result<std::vector<ObjectPtr>> owned =
      ClaimObjects(client, DescriptorOf<Owner>(), owner.metadata, selector, DescriptorOf<Child>(),
                   {candidates.begin(), candidates.end()});
  if (!owned) return owned.status();
  std::vector<std::shared_ptr<const Child>> children;
  children.reserve(owned->size());
  for (ObjectPtr& child : *owned) {
    children.push_back(std::static_pointer_cast<const Child>(std::move(child)));
  }
  return children;
}

}  // namespace capstan
