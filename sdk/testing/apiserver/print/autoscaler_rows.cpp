// Rows of HorizontalPodAutoscalers.

#include <string>
#include <vector>

#include <capstan/runtime/format.h>

#include "apiserver/print/rows.h"

namespace capstan::testing::server {
namespace {

// Returns the member of a metric's spec and status for its type.
std::string_view SourceOf(const std::string& type) {
  if (type == "Object") return "object";
  if (type == "Pods") return "pods";
  if (type == "External") return "external";
  if (type == "ContainerResource") return "containerResource";
  return type == "Resource" ? "resource" : "";
}

std::string Text(const json::Value& quantity) {
  return quantity.IsNull() ? "<unknown>" : quantity.AsString();
}

std::string Percent(const json::Value& number, std::string_view otherwise) {
  return number.IsNull() ? std::string(otherwise) : Format("{}%", number.AsInteger());
}

// "cpu: 20%/80%", "<unknown>/10 (avg)"
std::string Target(const json::Value& metric, const json::Value& status) {
  const std::string_view source = SourceOf(metric.Get("type").AsString());
  if (source.empty()) return "<unknown type>";
  const json::Value& target = metric.Get(source, "target");
  const json::Value& current = status.Get(source, "current");
  const json::Value& average = target.Get("averageValue");
  if (source == "resource" || source == "containerResource") {
    const std::string name = metric.Get(source, "name").AsString() + ": ";
    if (!average.IsNull()) {
      return name + Text(current.Get("averageValue")) + "/" + average.AsString();
    }
    return name + Percent(current.Get("averageUtilization"), "<unknown>") + "/" +
           Percent(target.Get("averageUtilization"), "<auto>");
  }
  if (source == "pods") return Text(current.Get("averageValue")) + "/" + Text(average);
  if (!average.IsNull()) {
    return Text(current.Get("averageValue")) + "/" + average.AsString() + " (avg)";
  }
  return Text(current.Get("value")) + "/" + Text(target.Get("value"));
}

}  // namespace

TableRow PrintAutoscaler(const json::Value& object, WallTime now) {
  constexpr size_t kMostTargets = 2;
  const json::Value& spec = object.Get("spec");
  const json::Value& status = object.Get("status");
  const auto& metrics = spec.Get("metrics").items();
  const auto& current = status.Get("currentMetrics").items();
  std::vector<std::string> targets;
  for (size_t i = 0; i < metrics.size(); ++i) {
    targets.push_back(Target(metrics[i], i < current.size() ? current[i] : json::Value()));
  }
  const json::Value& target = spec.Get("scaleTargetRef");
  const json::Value& least = spec.Get("minReplicas");
  return {{NameOf(object), target.Get("kind").AsString() + "/" + target.Get("name").AsString(),
           targets.empty() ? "<none>" : FirstOf(targets, kMostTargets, ", "),
           least.IsNull() ? "<unset>" : std::to_string(least.AsInteger()),
           Number(spec.Get("maxReplicas")), Number(status.Get("currentReplicas")),
           AgeOfObject(object, now)}};
}

}  // namespace capstan::testing::server
