// Rows of the workload kinds.

#include <chrono>
#include <string>
#include <utility>

#include <capstan/api/time.h>
#include <capstan/runtime/format.h>

#include "apiserver/print/human_duration.h"
#include "apiserver/print/rows.h"
#include "apiserver/subresource/scale.h"
#include "base/text/ascii.h"

namespace capstan::testing::server {
namespace {

std::string SelectorCell(const json::Value& spec) {
  const std::string text = SelectorText(spec.Get("selector"));
  return text.empty() ? "<none>" : text;
}

bool HasTrueCondition(const json::Value& object, std::string_view type) {
  for (const json::Value& condition : object.Get("status", "conditions").items()) {
    if (condition.Get("type").AsString() == type) {
      return condition.Get("status").AsString() == "True";
    }
  }
  return false;
}

std::string JobStatus(const json::Value& job) {
  if (HasTrueCondition(job, "Complete")) return "Complete";
  if (HasTrueCondition(job, "Failed")) return "Failed";
  if (!job.Get("metadata", "deletionTimestamp").IsNull()) return "Terminating";
  for (const char* type : {"Suspended", "FailureTarget", "SuccessCriteriaMet"}) {
    if (HasTrueCondition(job, type)) return type;
  }
  return "Running";
}

std::string JobCompletions(const json::Value& job) {
  const json::Value& spec = job.Get("spec");
  const int64_t succeeded = job.Get("status", "succeeded").AsInteger();
  if (const json::Value& wanted = spec.Get("completions"); !wanted.IsNull()) {
    return Format("{}/{}", succeeded, wanted.AsInteger());
  }
  const int64_t parallelism = spec.Get("parallelism").AsInteger();
  return parallelism > 1 ? Format("{}/1 of {}", succeeded, parallelism) : Format("{}/1", succeeded);
}

std::string JobDuration(const json::Value& job, WallTime now) {
  const auto start = api::Time::Parse(job.Get("status", "startTime").AsString());
  if (!start) return "";
  const auto end = api::Time::Parse(job.Get("status", "completionTime").AsString());
  return HumanDuration((end ? end->ToWallTime() : now) - start->ToWallTime());
}

// "deployment.apps/web"
std::string OwnerCell(const json::Value& object) {
  for (const json::Value& owner : object.Get("metadata", "ownerReferences").items()) {
    if (!owner.Get("controller").AsBool()) continue;
    std::string kind = text::Lower(owner.Get("kind").AsString());
    const std::string& version = owner.Get("apiVersion").AsString();
    const size_t slash = version.find('/');
    if (slash != std::string::npos) kind += "." + version.substr(0, slash);
    return kind + "/" + owner.Get("name").AsString();
  }
  return "<none>";
}

// A number of pods or a percentage.
json::Value AmountCell(const json::Value& amount) {
  if (amount.IsNull()) return "N/A";
  return amount.IsString() ? amount : json::Value(std::to_string(amount.AsInteger()));
}

}  // namespace

TableRow PrintDeployment(const json::Value& object, WallTime now) {
  const json::Value& status = object.Get("status");
  auto [names, images] = ContainerCells(object.Get("spec", "template"));
  return {{NameOf(object),
           Format("{}/{}", status.Get("readyReplicas").AsInteger(),
                  object.Get("spec", "replicas").AsInteger()),
           Number(status.Get("updatedReplicas")), Number(status.Get("availableReplicas")),
           AgeOfObject(object, now), std::move(names), std::move(images),
           SelectorText(object.Get("spec", "selector"))}};
}

TableRow PrintReplicaSet(const json::Value& object, WallTime now) {
  const json::Value& status = object.Get("status");
  auto [names, images] = ContainerCells(object.Get("spec", "template"));
  return {{NameOf(object), Number(object.Get("spec", "replicas")), Number(status.Get("replicas")),
           Number(status.Get("readyReplicas")), AgeOfObject(object, now), std::move(names),
           std::move(images), SelectorCell(object.Get("spec"))}};
}

TableRow PrintScale(const json::Value& object, WallTime now) {
  return {{NameOf(object), Number(object.Get("spec", "replicas")),
           Number(object.Get("status", "replicas")), AgeOfObject(object, now)}};
}

TableRow PrintStatefulSet(const json::Value& object, WallTime now) {
  auto [names, images] = ContainerCells(object.Get("spec", "template"));
  return {{NameOf(object),
           Format("{}/{}", object.Get("status", "readyReplicas").AsInteger(),
                  object.Get("spec", "replicas").AsInteger()),
           AgeOfObject(object, now), std::move(names), std::move(images)}};
}

TableRow PrintDaemonSet(const json::Value& object, WallTime now) {
  const json::Value& status = object.Get("status");
  auto [names, images] = ContainerCells(object.Get("spec", "template"));
  const std::string nodes = LabelsText(object.Get("spec", "template", "spec", "nodeSelector"));
  return {{NameOf(object), Number(status.Get("desiredNumberScheduled")),
           Number(status.Get("currentNumberScheduled")), Number(status.Get("numberReady")),
           Number(status.Get("updatedNumberScheduled")), Number(status.Get("numberAvailable")),
           Or(nodes, "<none>"), AgeOfObject(object, now), std::move(names), std::move(images),
           SelectorCell(object.Get("spec"))}};
}

TableRow PrintControllerRevision(const json::Value& object, WallTime now) {
  return {{NameOf(object), OwnerCell(object), Number(object.Get("revision")),
           AgeOfObject(object, now)}};
}

TableRow PrintJob(const json::Value& object, WallTime now) {
  auto [names, images] = ContainerCells(object.Get("spec", "template"));
  return {{NameOf(object), JobStatus(object), JobCompletions(object), JobDuration(object, now),
           AgeOfObject(object, now), std::move(names), std::move(images),
           SelectorCell(object.Get("spec"))}};
}

TableRow PrintCronJob(const json::Value& object, WallTime now) {
  const json::Value& spec = object.Get("spec");
  const json::Value& status = object.Get("status");
  const json::Value& last = status.Get("lastScheduleTime");
  auto [names, images] = ContainerCells(spec.Get("jobTemplate", "spec", "template"));
  return {{NameOf(object), spec.Get("schedule").AsString(), Or(spec.Get("timeZone"), "<none>"),
           spec.Get("suspend").AsBool() ? "True" : "False",
           static_cast<int64_t>(status.Get("active").items().size()),
           last.IsNull() ? json::Value("<none>") : json::Value(AgeOf(last, now)),
           AgeOfObject(object, now), std::move(names), std::move(images),
           SelectorCell(spec.Get("jobTemplate", "spec"))}};
}

TableRow PrintDisruptionBudget(const json::Value& object, WallTime now) {
  const json::Value& spec = object.Get("spec");
  return {{NameOf(object), AmountCell(spec.Get("minAvailable")),
           AmountCell(spec.Get("maxUnavailable")),
           Number(object.Get("status", "disruptionsAllowed")), AgeOfObject(object, now)}};
}

}  // namespace capstan::testing::server
