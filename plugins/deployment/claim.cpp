#include "claim.h"

#include <capstan/api/object.h>
#include <capstan/api/raw_json.h>

namespace capstan::deployment {
namespace {

std::string Quoted(const Uid& uid) { return std::string(RawJson::String(uid.str()).text()); }

}  // namespace

Claim Classify(const api::ObjectMeta& owner, const Selector& selector,
               const api::ObjectMeta& child) {
  const api::OwnerReference* controller = api::ControllerOf(child);
  if (controller && controller->uid != owner.uid) return Claim::kIgnore;
  const bool matches = selector.Matches(child.labels);
  if (controller && matches) return Claim::kOwned;
  if (owner.deletionTimestamp) return Claim::kIgnore;
  if (controller) return Claim::kRelease;
  return matches && !child.deletionTimestamp ? Claim::kAdopt : Claim::kIgnore;
}

std::string AdoptionPatch(const api::OwnerReference& owner, const Uid& child) {
  return R"({"metadata":{"uid":)" + Quoted(child) + R"(,"ownerReferences":[)" + ToJson(owner) +
         "]}}";
}

std::string ReleasePatch(const Uid& owner, const Uid& child) {
  return R"({"metadata":{"uid":)" + Quoted(child) +
         R"(,"ownerReferences":[{"$patch":"delete","uid":)" + Quoted(owner) + "}]}}";
}

}  // namespace capstan::deployment
