#include "apiserver/schema/conversion.h"

#include <array>
#include <string_view>
#include <utility>

#include "apiserver/storage/object_fields.h"

namespace capstan::testing::server {
namespace {

// The fields that events.k8s.io/v1 and core/v1 name differently.
struct Renamed {
  std::string_view events;
  std::string_view core;
};
constexpr std::array<Renamed, 7> kRenamed = {{
    {"note", "message"},
    {"regarding", "involvedObject"},
    {"reportingController", "reportingComponent"},
    {"deprecatedSource", "source"},
    {"deprecatedFirstTimestamp", "firstTimestamp"},
    {"deprecatedLastTimestamp", "lastTimestamp"},
    {"deprecatedCount", "count"},
}};

void Rename(json::Value& object, std::string_view from, std::string_view to) {
  const json::Value* found = object.Find(from);
  if (!found) return;
  json::Value value = *found;
  object.Erase(from);
  object.Set(to, std::move(value));
}

// Adds a member that one version always has and the other omits if empty.
void AddIfMissing(json::Value& object, std::string_view key, json::Value value) {
  if (!object.Find(key)) object.Set(key, std::move(value));
}

}  // namespace

bool IsConverted(const Resource& resource) {
  return resource.group == "events.k8s.io" && resource.kind == "Event";
}

json::Value ToStored(const Resource& resource, json::Value object) {
  const bool is_event = resource.group.empty() && resource.kind == "Event";
  if ((!is_event && !IsConverted(resource)) || !object.IsObject()) return object;
  if (!is_event) {
    for (const Renamed& field : kRenamed) Rename(object, field.events, field.core);
    object.Set("apiVersion", "v1");
  }
  AddIfMissing(object, "involvedObject", json::Value::Object());
  AddIfMissing(object, "source", json::Value::Object());
  AddIfMissing(object, "firstTimestamp", json::Value());
  AddIfMissing(object, "lastTimestamp", json::Value());
  AddIfMissing(object, "eventTime", json::Value());
  AddIfMissing(object, "reportingComponent", "");
  AddIfMissing(object, "reportingInstance", "");
  return object;
}

json::Value FromStored(const Resource& resource, const json::Value& object) {
  if (!IsConverted(resource) || !object.IsObject()) return object;
  json::Value shown = object;
  for (const Renamed& field : kRenamed) Rename(shown, field.core, field.events);
  shown.Set("apiVersion", resource.ApiVersion());
  EraseIfEmpty(shown, "reportingController");
  EraseIfEmpty(shown, "reportingInstance");
  AddIfMissing(shown, "regarding", json::Value::Object());
  AddIfMissing(shown, "deprecatedSource", json::Value::Object());
  AddIfMissing(shown, "deprecatedFirstTimestamp", json::Value());
  AddIfMissing(shown, "deprecatedLastTimestamp", json::Value());
  AddIfMissing(shown, "eventTime", json::Value());
  return shown;
}

}  // namespace capstan::testing::server
