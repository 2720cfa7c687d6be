#pragma once

/// Ownership: which objects an owner owns, adopts and releases. (controller_ref_manager of
/// kube-controller-manager)
///
/// The owner of an object is the object that its controller reference names, by UID. An owner
/// adopts orphans that match its selector. It releases owned objects that no longer match:
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
  kNone,  ///< not relevant: owned by another owner, an orphan that does not match, or in another
          ///< namespace
  kOwned,
  kAdopt,    ///< an orphan that matches
  kRelease,  ///< owned, but no longer matches
};

/// Returns the relation of `child` to `owner`. An owner that is being deleted neither adopts nor
/// releases. A child that is being deleted is not adopted.
CAPSTAN_EXPORT Ownership OwnershipOf(const api::ObjectMeta& owner, const Selector& selector,
                                     const api::ObjectMeta& child);

/// Returns a controller reference to `owner`, an object of type T. The reference blocks the owner's
/// foreground deletion. The API server may therefore require permission to update the owner's
/// finalizers.
CAPSTAN_EXPORT api::OwnerReference ControllerReferenceTo(const TypeDescriptor& type,
                                                         const api::ObjectMeta& owner);
template <ApiObject T>
api::OwnerReference ControllerReferenceTo(const T& owner) {
  return ControllerReferenceTo(DescriptorOf<T>(), owner.metadata);
}

/// Strategic merge patches that add or remove one owner reference. They contain the child's UID, so
/// the server rejects them for another object with the same name. The server also rejects an
/// adoption if the child has another controller by now.
CAPSTAN_EXPORT std::string AdoptionPatch(const api::OwnerReference& owner, const Uid& child);
CAPSTAN_EXPORT std::string ReleasePatch(const Uid& owner, const Uid& child);

/// Returns the objects that `owner` may claim: the objects that it owns, and the orphans of its
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

/// Returns whether owners may adopt an object after this change. The object must have no
/// controller, have labels and not have a deletionTimestamp. It must be new, or have had other
/// labels or a controller before. `before` is null for an addition, `after` for a deletion.
CAPSTAN_EXPORT bool BecameAdoptable(const api::ObjectMeta* before, const api::ObjectMeta* after);

/// For ControllerBuilder::Watches: an adoptable orphan enqueues every owner in its namespace whose
/// `spec.selector` matches. An empty selector matches nothing here.
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

/// The core of Claim (below), over type descriptors.
CAPSTAN_EXPORT Result<std::vector<ObjectPtr>> ClaimObjects(
    const Client& client, const TypeDescriptor& owner_type, const api::ObjectMeta& owner,
    const Selector& selector, const TypeDescriptor& child_type, std::vector<ObjectPtr> candidates);

/// Adopts and releases as OwnershipOf says. Returns the objects that `owner` then owns, in the
/// order of the candidates. Adopted objects are returned in the server's version, the others as
/// given.
///
/// Before the first adoption it reads the owner from the API server, because the cache may be
/// stale. The owner must exist and must not have a deletionTimestamp. A candidate that no longer
/// exists is left out. Other failures do not stop the remaining attempts; the first failure is
/// returned.
///
/// Owner and child must be of built-in kinds, because custom resources do not support strategic
/// merge patches.
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
