// Events, as core/v1 and events.k8s.io/v1 show them. Errors name the fields of core/v1 in both.

#include <array>
#include <string>
#include <utility>

#include "apiserver/strategy/strategies.h"
#include "apiserver/validation/names.h"

namespace capstan::testing::server {
namespace {

constexpr size_t kLongestReason = 128;
constexpr size_t kLongestNote = 1024;

// A field's name in core/v1 and in events.k8s.io/v1.
struct FieldNames {
  std::string_view core;
  std::string_view events;
};
constexpr std::array<FieldNames, 14> kImmutable = {{
    {"involvedObject", "regarding"},
    {"reason", "reason"},
    {"message", "note"},
    {"source", "deprecatedSource"},
    {"firstTimestamp", "deprecatedFirstTimestamp"},
    {"lastTimestamp", "deprecatedLastTimestamp"},
    {"count", "deprecatedCount"},
    {"reason", "reason"},
    {"type", "type"},
    {"eventTime", "eventTime"},
    {"action", "action"},
    {"related", "related"},
    {"reportingController", "reportingController"},
    {"reportingInstance", "reportingInstance"},
}};

// Prints the value of a field as the API does: structs with all fields, by their Go names.
std::string Printed(std::string_view field, const json::Value& value) {
  const auto all =
      [&value](std::initializer_list<std::pair<std::string_view, std::string_view>> names) {
        std::string text;
        for (const auto& [go_name, name] : names) {
          text += text.empty() ? "{\"" : ",\"";
          text.append(go_name).append("\":").append(json::ToJson(value.Get(name).AsString()));
        }
        return text + '}';
      };
  if (field == "source") return all({{"Component", "component"}, {"Host", "host"}});
  if (field == "involvedObject" || (field == "related" && !value.IsNull())) {
    return all({{"Kind", "kind"},
                {"Namespace", "namespace"},
                {"Name", "name"},
                {"UID", "uid"},
                {"APIVersion", "apiVersion"},
                {"ResourceVersion", "resourceVersion"},
                {"FieldPath", "fieldPath"}});
  }
  if (field == "count") return std::to_string(value.AsInteger());
  const bool may_be_null =
      field == "related" || field.ends_with("Time") || field.ends_with("stamp");
  return value.IsNull() && !may_be_null ? "\"\"" : json::ToJson(value);
}

void ValidateLength(std::string_view field, const std::string& text, size_t most,
                    FieldErrors& errors) {
  if (text.size() <= most) return;
  errors.Invalid(std::string(field), "",
                 "can have at most " + std::to_string(most) + " characters");
}

void ValidateSeries(const json::Value& series, FieldErrors& errors) {
  if (series.IsNull()) return;
  if (series.Get("count").AsInteger() < 2) {
    errors.Invalid("series.count", "", "should be at least 2");
  }
  if (series.Get("lastObservedTime").IsNull()) errors.Required("series.lastObservedTime");
}

class Events : public Strategy {
 public:
  explicit Events(bool legacy) : legacy_(legacy) {}

  bool WantsQualifiedFinalizers() const override { return !legacy_; }
  bool ValidatesMetadataLast() const override { return legacy_; }
  void Validate(const json::Value& object, FieldErrors& errors) const override;
  void ValidateName(std::string_view name, std::string_view field,
                    FieldErrors& errors) const override;
  void ValidateUpdate(const json::Value& object, const json::Value& before,
                      std::string_view subresource, FieldErrors& errors) const override;
  std::optional<std::string> SelectableField(const json::Value& object,
                                             std::string_view field) const override;

 private:
  const json::Value& Subject(const json::Value& event) const {
    return event.Get(legacy_ ? "involvedObject" : "regarding");
  }
  const std::string& Controller(const json::Value& event) const {
    return event.Get(legacy_ ? "reportingComponent" : "reportingController").AsString();
  }
  void ValidateReport(const json::Value& event, FieldErrors& errors) const;

  const bool legacy_;
};

// Validates an event of the newer kind, which has an eventTime.
void Events::ValidateReport(const json::Value& event, FieldErrors& errors) const {
  const std::string& controller = Controller(event);
  const FieldPath controller_path(legacy_ ? "reportingComponent" : "reportingController");
  if (controller.empty()) errors.Required(controller_path.Text());
  AddFaults(FaultsOfQualifiedName(controller), controller_path, controller, errors);
  for (const std::string_view field : {"reportingInstance", "action", "reason"}) {
    const std::string& text = event.Get(field).AsString();
    if (text.empty()) errors.Required(std::string(field));
    ValidateLength(field, text, kLongestReason, errors);
  }
  ValidateLength("message", event.Get(legacy_ ? "message" : "note").AsString(), kLongestNote,
                 errors);
}

void Events::Validate(const json::Value& object, FieldErrors& errors) const {
  const std::string& namespace_ = object.Get("metadata", "namespace").AsString();
  const std::string& subject = Subject(object).Get("namespace").AsString();
  const bool newer = !object.Get("eventTime").IsNull();
  const bool fits = subject.empty() ? namespace_.empty() || namespace_ == "default" ||
                                          (newer && namespace_ == "kube-system")
                                    : newer || namespace_ == subject;
  if (!fits) {
    errors.Invalid("involvedObject.namespace", subject, "does not match event.namespace");
  }
  if (newer) ValidateReport(object, errors);
  AddFaults(FaultsOfDnsSubdomain(namespace_), FieldPath("namespace"), namespace_, errors);
  if (legacy_ || !object.Get("metadata", "resourceVersion").AsString().empty()) return;

  // The rules below apply only to new events of events.k8s.io/v1.
  ValidateSeries(object.Get("series"), errors);
  if (!newer) errors.Required("eventTime");
  const std::string& type = object.Get("type").AsString();
  if (type != "Normal" && type != "Warning") {
    errors.Invalid("type", "", "has invalid value: " + type);
  }
  for (const auto& [core, events] :
       {FieldNames{"firstTimestamp", "deprecatedFirstTimestamp"},
        FieldNames{"lastTimestamp", "deprecatedLastTimestamp"},
        FieldNames{"count", "deprecatedCount"}, FieldNames{"source", "deprecatedSource"}}) {
    if (!object.Get(events).IsEmpty()) errors.Invalid(std::string(core), "", "needs to be unset");
  }
}

// In core/v1 any name is valid that can be a path segment.
void Events::ValidateName(std::string_view name, std::string_view field,
                          FieldErrors& errors) const {
  if (!legacy_) return Strategy::ValidateName(name, field, errors);
  if (name == "." || name == "..") {
    errors.Invalid(std::string(field), name, "may not be '" + std::string(name) + "'");
  }
  for (const std::string_view illegal : {"/", "%"}) {
    if (name.find(illegal) == std::string_view::npos) continue;
    errors.Invalid(std::string(field), name, "may not contain '" + std::string(illegal) + "'");
  }
}

void Events::ValidateUpdate(const json::Value& object, const json::Value& before,
                            std::string_view /*subresource*/, FieldErrors& errors) const {
  if (legacy_) return;
  if (!(object.Get("series") == before.Get("series"))) {
    ValidateSeries(object.Get("series"), errors);
  }
  for (const auto& [core, events] : kImmutable) {
    const json::Value& value = object.Get(events);
    if (value == before.Get(events)) continue;
    errors.Add({FieldError::Type::kInvalid, std::string(core), Printed(core, value),
                std::string(kFieldImmutable)});
  }
}

std::optional<std::string> Events::SelectableField(const json::Value& object,
                                                   std::string_view field) const {
  const std::string_view subject = legacy_ ? "involvedObject." : "regarding.";
  if (field.substr(0, subject.size()) == subject) {
    for (const std::string_view name :
         {"kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"}) {
      if (field.substr(subject.size()) == name) return Subject(object).Get(name).AsString();
    }
    return std::nullopt;
  }
  if (field == "reason" || field == "type") return object.Get(field).AsString();
  if (field == (legacy_ ? "reportingComponent" : "reportingController")) return Controller(object);
  if (field == "source" && legacy_) {
    const std::string& component = object.Get("source", "component").AsString();
    return component.empty() ? Controller(object) : component;
  }
  return Strategy::SelectableField(object, field);
}

}  // namespace

StrategyPtr CoreEventStrategy() { return std::make_shared<Events>(/*legacy=*/true); }
StrategyPtr EventStrategy() { return std::make_shared<Events>(/*legacy=*/false); }

}  // namespace capstan::testing::server
