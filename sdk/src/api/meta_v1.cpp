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
