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

CAPSTAN_DEFINE_TYPE(capstan::api::OwnerReference, CAPSTAN_FIELD_ALWAYS(apiVersion, 5),
                    CAPSTAN_FIELD_ALWAYS(kind, 1), CAPSTAN_FIELD_ALWAYS(name, 3),
                    CAPSTAN_FIELD_ALWAYS(uid, 4), CAPSTAN_FIELD(controller, 6),
                    CAPSTAN_FIELD(blockOwnerDeletion, 7))

CAPSTAN_DEFINE_TYPE(capstan::api::ObjectMeta, CAPSTAN_FIELD(name, 1),
                    CAPSTAN_FIELD(generateName, 2), CAPSTAN_FIELD_AS(namespace_, "namespace", 3),
                    CAPSTAN_FIELD(uid, 5), CAPSTAN_FIELD(resourceVersion, 6),
                    CAPSTAN_FIELD(generation, 7), CAPSTAN_FIELD(creationTimestamp, 8),
                    CAPSTAN_FIELD(deletionTimestamp, 9), CAPSTAN_FIELD_SHARED(labels, 11),
                    CAPSTAN_FIELD(annotations, 12), CAPSTAN_FIELD(ownerReferences, 13),
                    CAPSTAN_FIELD(finalizers, 14))

CAPSTAN_DEFINE_TYPE(capstan::api::LabelSelectorRequirement, CAPSTAN_FIELD_ALWAYS(key, 1),
                    capstan::internal::WithFlags(CAPSTAN_FIELD_AS(operator_, "operator", 2),
                                                 capstan::kAlwaysEncode),
                    CAPSTAN_FIELD(values, 3))

CAPSTAN_DEFINE_TYPE(capstan::api::LabelSelector, CAPSTAN_FIELD(matchLabels, 1),
                    CAPSTAN_FIELD(matchExpressions, 2))
