#include <capstan/controller/ownership.h>

#include <capstan/api/raw_json.h>
#include <capstan/runtime/format.h>

namespace capstan {
namespace {

std::string Quoted(const Uid& uid) { return RawJson::String(uid.str()).text(); }

// The claim of one owner to many objects.
class Claimant {
 public:
  Claimant(const Client& client, const TypeDescriptor& owner_type, const api::ObjectMeta& owner,
           const TypeDescriptor& child_type)
      : client_(client), owner_type_(owner_type), owner_(owner), child_type_(child_type) {}

  Result<ObjectPtr> Adopt(const api::ObjectMeta& child) {
    if (!asked_) alive_ = ConfirmAlive();
    asked_ = true;
    if (!alive_.ok()) return alive_;
    return client_.Patch(child_type_, api::NameOf(child), PatchType::kStrategicMerge,
                         AdoptionPatch(ControllerReferenceTo(owner_type_, owner_), child.uid));
  }

  Status Release(const api::ObjectMeta& child) const {
    const Status status = client_
                              .Patch(child_type_, api::NameOf(child), PatchType::kStrategicMerge,
                                     ReleasePatch(owner_.uid, child.uid))
                              .status();
    // Invalid: the object no longer has this owner, or is another object of this name.
    return status.IsInvalid() ? Status::Ok() : status;
  }

 private:
  // The cache may lag behind the deletion of the owner. Adoption after the deletion would only keep
  // the orphans from being released.
  Status ConfirmAlive() const {
    const std::string name = api::NameOf(owner_).ToString();
    const char* kind = owner_type_.resource->kind;
    const Result<ObjectPtr> fresh = client_.Get(owner_type_, api::NameOf(owner_));
    if (!fresh) {
      return fresh.status().WithContext(
          Format("can't adopt {} for {} {}", child_type_.resource->resource, kind, name));
    }
    const api::ObjectMeta& metadata = MetadataOf(owner_type_, fresh->get());
    if (metadata.uid != owner_.uid) {
      return {StatusReason::kConflict, Format("original {} {} is gone: got uid {}, wanted {}", kind,
                                              name, metadata.uid, owner_.uid)};
    }
    if (metadata.deletionTimestamp) {
      return {StatusReason::kConflict,
              Format("{} {} has just been deleted at {}", kind, name, metadata.deletionTimestamp)};
    }
    return Status::Ok();
  }

  const Client& client_;
  const TypeDescriptor& owner_type_;
  const api::ObjectMeta& owner_;
  const TypeDescriptor& child_type_;
  bool asked_ = false;
  Status alive_;
};

}  // namespace

Ownership OwnershipOf(const api::ObjectMeta& owner, const Selector& selector,
                      const api::ObjectMeta& child) {
  // An owner of no namespace may own in any.
  if (!owner.namespace_.empty() && owner.namespace_ != child.namespace_) return Ownership::kNone;
  const api::OwnerReference* controller = api::ControllerOf(child);
  if (controller && controller->uid != owner.uid) return Ownership::kNone;
  const bool matches = selector.Matches(child.labels);
  if (controller && matches) return Ownership::kOwned;
  if (owner.deletionTimestamp) return Ownership::kNone;
  if (controller) return Ownership::kRelease;
  return matches && !child.deletionTimestamp ? Ownership::kAdopt : Ownership::kNone;
}

bool BecameAdoptable(const api::ObjectMeta* before, const api::ObjectMeta* after) {
  if (!after || after->deletionTimestamp || after->labels.empty()) return false;
  if (api::ControllerOf(*after)) return false;
  return !before || before->labels != after->labels || api::ControllerOf(*before);
}

api::OwnerReference ControllerReferenceTo(const TypeDescriptor& type,
                                          const api::ObjectMeta& owner) {
  return {.apiVersion = InternedString(type.resource->ApiVersion()),
          .kind = InternedString(type.resource->kind),
          .name = InternedString(owner.name),
          .uid = owner.uid,
          .controller = true,
          .blockOwnerDeletion = true};
}

std::string AdoptionPatch(const api::OwnerReference& owner, const Uid& child) {
  return R"({"metadata":{"uid":)" + Quoted(child) + R"(,"ownerReferences":[)" + ToJson(owner) +
         "]}}";
}

std::string ReleasePatch(const Uid& owner, const Uid& child) {
  return R"({"metadata":{"uid":)" + Quoted(child) +
         R"(,"ownerReferences":[{"$patch":"delete","uid":)" + Quoted(owner) + "}]}}";
}

Result<std::vector<ObjectPtr>> ClaimObjects(const Client& client, const TypeDescriptor& owner_type,
                                            const api::ObjectMeta& owner, const Selector& selector,
                                            const TypeDescriptor& child_type,
                                            std::vector<ObjectPtr> candidates) {
  Claimant claimant(client, owner_type, owner, child_type);
  std::vector<ObjectPtr> owned;
  Status failure;
  const auto note = [&](const Status& status) {
    if (!status.ok() && !status.IsNotFound() && failure.ok()) failure = status;
  };
  for (ObjectPtr& child : candidates) {
    const api::ObjectMeta& metadata = MetadataOf(child_type, child.get());
    switch (OwnershipOf(owner, selector, metadata)) {
      case Ownership::kNone:
        break;
      case Ownership::kOwned:
        owned.push_back(std::move(child));
        break;
      case Ownership::kRelease:
        note(claimant.Release(metadata));
        break;
      case Ownership::kAdopt: {
        Result<ObjectPtr> adopted = claimant.Adopt(metadata);
        note(adopted.status());
        if (adopted) owned.push_back(*std::move(adopted));
        break;
      }
    }
  }
  if (!failure.ok()) return failure;
  return owned;
}

}  // namespace capstan
