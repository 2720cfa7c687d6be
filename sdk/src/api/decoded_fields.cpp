#include "api/decoded_fields.h"

#include "api/encoder.h"
#include "api/field_access.h"
#include "api/field_compare.h"

namespace capstan::internal {

void ResetZeroBoxes(const TypeDescriptor& type, void* object) {
  const auto fields = FieldsOf(type);
  for (const FieldDescriptor& field : fields) {
    if (!field.box) continue;
    void* box = static_cast<char*>(object) + field.box_offset;
    if (!field.box->allocated(box)) continue;
    bool zero = true;
    for (const FieldDescriptor& other : fields) {
      if (!other.box || other.box_offset != field.box_offset) continue;
      zero = zero && IsZero(other, MemberOf(other, const_cast<const void*>(object)));
    }
    if (zero) field.box->reset(box);
  }
}

void AssignMap(const FieldDescriptor& field, const FieldNode::Field* part,
               const MapEntries& entries, StringMap& map) {
  StringMap made{entries};
  // Maps that keep certain keys are often equal.
  if ((field.flags & kShared) || part) made.Share();
  map = std::move(made);
}

void DropUnlessKept(const FieldDescriptor& field, const FieldNode::Field* part, void* list) {
  if (!part) return;
  const ContainerOps& container = *field.container;
  const void* element = container.at(list, container.size(list) - 1);
  if (!KeepsElement(*part, element)) container.pop(list);
}

void FinishList(const FieldDescriptor& field, void* list) {
  const ContainerOps& container = *field.container;
  container.finish(list);
  if ((field.flags & kShared) == 0 || container.size(list) == 0) return;
  container.share(list, HashField(field, list),
                  [&field](const void* a, const void* b) { return EqualFields(field, a, b); });
}

}  // namespace capstan::internal
