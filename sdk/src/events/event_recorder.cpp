#include <capstan/events/event_recorder.h>

#include <capstan/log/log.h>

namespace capstan {

void EventRecorder::Event(const TypeDescriptor& type, const void* about,
                          std::string_view event_type, std::string_view reason,
                          std::string_view format, std::initializer_list<FormatArg> args) const {
  if (event_type != "Normal" && event_type != "Warning") {
    LogError(Status::InvalidArgument("an event must be Normal or Warning"),
             "Unsupported event type",
             {{"eventType", event_type}, {"reason", reason}, {"component", component_}});
    return;
  }
  broadcaster_->Record(component_, ReferenceTo(type, about), event_type, reason,
                       FormatText(format, args));
}

api::core::v1::ObjectReference ReferenceTo(const TypeDescriptor& type, const void* object) {
  const api::ObjectMeta& metadata = MetadataOf(type, object);
  api::core::v1::ObjectReference reference;
  if (type.resource) {
    reference.kind = type.resource->kind;
    reference.apiVersion = type.resource->ApiVersion();
  }
  reference.namespace_ = metadata.namespace_;
  reference.name = metadata.name;
  reference.uid = metadata.uid;
  reference.resourceVersion = metadata.resourceVersion;
  return reference;
}

}  // namespace capstan
