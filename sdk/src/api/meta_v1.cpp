#include <capstan/api/meta_v1.h>

namespace capstan {

std::string NamespacedName::ToString() const {
  return namespace_.empty() ? name : namespace_ + "/" + name;
}

void AppendText(std::string& out, const NamespacedName& name) { out += name.ToString(); }

namespace api {

const OwnerReference* ControllerOf(const ObjectMeta& metadata) {
  for (const OwnerReference& owner : metadata.ownerReferences) {
    if (owner.controller.value_or(false)) return &owner;
  }
  return nullptr;
}

bool IsControlledBy(const ObjectMeta& metadata, const Uid& owner) {
  const OwnerReference* controller = ControllerOf(metadata);
  return controller && controller->uid == owner;
}

}  // namespace api
}  // namespace capstan

CAPSTAN_DEFINE_TYPE(capstan::api::OwnerReference, CAPSTAN_FIELD_ALWAYS(apiVersion),
                    CAPSTAN_FIELD_ALWAYS(kind), CAPSTAN_FIELD_ALWAYS(name),
                    CAPSTAN_FIELD_ALWAYS(uid), CAPSTAN_FIELD(controller),
                    CAPSTAN_FIELD(blockOwnerDeletion))

CAPSTAN_DEFINE_TYPE(capstan::api::ObjectMeta, CAPSTAN_FIELD(name), CAPSTAN_FIELD(generateName),
                    CAPSTAN_FIELD_AS(namespace_, "namespace"), CAPSTAN_FIELD(uid),
                    CAPSTAN_FIELD(resourceVersion), CAPSTAN_FIELD(generation),
                    CAPSTAN_FIELD(creationTimestamp), CAPSTAN_FIELD(deletionTimestamp),
                    CAPSTAN_FIELD_SHARED(labels), CAPSTAN_FIELD(annotations),
                    CAPSTAN_FIELD(ownerReferences), CAPSTAN_FIELD(finalizers))

CAPSTAN_DEFINE_TYPE(capstan::api::Condition, CAPSTAN_FIELD_ALWAYS(type),
                    CAPSTAN_FIELD_ALWAYS(status), CAPSTAN_FIELD(lastUpdateTime),
                    CAPSTAN_FIELD(lastTransitionTime), CAPSTAN_FIELD(reason),
                    CAPSTAN_FIELD(message), CAPSTAN_UNKNOWN_MEMBERS(unknown))

CAPSTAN_DEFINE_TYPE(capstan::api::LabelSelectorRequirement, CAPSTAN_FIELD_ALWAYS(key),
                    capstan::internal::WithFlags(CAPSTAN_FIELD_AS(operator_, "operator"),
                                                 capstan::kAlwaysEncode),
                    CAPSTAN_FIELD(values))

CAPSTAN_DEFINE_TYPE(capstan::api::LabelSelector, CAPSTAN_FIELD(matchLabels),
                    CAPSTAN_FIELD(matchExpressions))
