#include "apiserver/strategy/pod_defaults.h"

#include <algorithm>
#include <string>

#include "apiserver/storage/object_fields.h"
#include "apiserver/validation/resource_requirements.h"
#include "base/text/ascii.h"

namespace capstan::testing::server {
namespace {

void SetIfEmpty(json::Value& object, std::string_view field, std::string_view value) {
  if (object.Get(field).AsString().empty()) object.Set(field, value);
}

// Whether an image name selects the tag "latest", so that the image is always pulled. An invalid
// name selects no tag.
bool IsLatest(std::string_view image) {
  const bool malformed = image.empty() || std::any_of(image.begin(), image.end(), [](char c) {
                           return c == ' ' || c == '\t' || c == '\n';
                         });
  if (malformed) return false;
  const size_t digest = image.find('@');
  std::string_view name = image.substr(0, digest);
  const size_t slash = name.rfind('/');
  const size_t colon = name.find(':', slash == std::string_view::npos ? 0 : slash);
  const std::string_view repository = name.substr(0, colon);
  const std::string_view path = repository.substr(slash == std::string_view::npos ? 0 : slash + 1);
  if (std::any_of(path.begin(), path.end(), text::IsUpper)) {
    return false;
  }
  if (path.empty() || !text::IsAlphanumeric(path.front()) || !text::IsAlphanumeric(path.back())) {
    return false;
  }
  if (colon == std::string_view::npos) return digest == std::string_view::npos;
  return name.substr(colon + 1) == "latest";
}

void DefaultContainer(json::Value& container) {
  if (container.Get("imagePullPolicy").AsString().empty()) {
    const bool latest = IsLatest(container.Get("image").AsString());
    container.Set("imagePullPolicy", latest ? "Always" : "IfNotPresent");
  }
  SetIfEmpty(container, "terminationMessagePath", "/dev/termination-log");
  SetIfEmpty(container, "terminationMessagePolicy", "File");
}

bool NeedsDefaults(const json::Value& container) {
  return container.Get("imagePullPolicy").AsString().empty() ||
         container.Get("terminationMessagePath").AsString().empty() ||
         container.Get("terminationMessagePolicy").AsString().empty();
}

// Changes the items that need it. A list without such items stays shared.
template <class Needs, class Change>
void ChangeItems(json::Value& object, std::string_view field, Needs needs, Change change) {
  const auto& items = object.Get(field).items();
  if (std::none_of(items.begin(), items.end(), needs)) return;
  for (json::Value& item : object.Mutable(field).MutableItems()) {
    if (needs(item)) change(item);
  }
}

bool LacksSource(const json::Value& volume) {
  return std::none_of(
      volume.members().begin(), volume.members().end(),
      [](const json::Member& member) { return member.key != "name" && !member.value.IsNull(); });
}

bool LacksRequests(const json::Value& container) {
  const json::Value& resources = container.Get("resources");
  const json::Value& requests = resources.Get("requests");
  const auto& limits = resources.Get("limits").members();
  return std::any_of(limits.begin(), limits.end(),
                     [&requests](const json::Member& limit) { return !requests.Find(limit.key); });
}

void DefaultRequests(json::Value& container) {
  const json::Value limits = container.Get("resources", "limits");
  json::Value& requests = container.Mutable("resources", "requests");
  for (const json::Member& limit : limits.members()) {
    if (!requests.Find(limit.key)) requests.Set(limit.key, limit.value);
  }
}

void TolerateForFiveMinutes(json::Value& spec, std::string_view taint) {
  for (const json::Value& toleration : spec.Get("tolerations").items()) {
    const std::string& key = toleration.Get("key").AsString();
    const std::string& effect = toleration.Get("effect").AsString();
    if ((key == taint || key.empty()) && (effect == "NoExecute" || effect.empty())) return;
  }
  spec.Mutable("tolerations")
      .Append(json::Value::Object({{"effect", "NoExecute"},
                                   {"key", taint},
                                   {"operator", "Exists"},
                                   {"tolerationSeconds", 300}}));
}

// A container in the host network listens on the host's ports.
void DefaultHostPorts(json::Value& spec, std::string_view containers) {
  const auto lacks = [](const json::Value& port) {
    return port.Get("hostPort").AsInteger() == 0 && port.Get("containerPort").AsInteger() != 0;
  };
  const auto any_lacks = [&lacks](const json::Value& container) {
    const auto& ports = container.Get("ports").items();
    return std::any_of(ports.begin(), ports.end(), lacks);
  };
  ChangeItems(spec, containers, any_lacks, [&lacks](json::Value& container) {
    ChangeItems(container, "ports", lacks, [](json::Value& port) {
      port.Set("hostPort", port.Get("containerPort").AsInteger());
    });
  });
}

bool IsPositive(const json::Value& quantities, std::string_view name) {
  const json::Value* quantity = quantities.Find(name);
  return quantity && CompareQuantities(quantity->AsString(), "0") > 0;
}

}  // namespace

void DefaultPodSpec(json::Value& spec) {
  SetIfEmpty(spec, "dnsPolicy", "ClusterFirst");
  SetIfEmpty(spec, "restartPolicy", "Always");
  SetIfEmpty(spec, "schedulerName", "default-scheduler");
  if (!Has(spec, "securityContext")) spec.Set("securityContext", json::Value::Object());
  if (!Has(spec, "terminationGracePeriodSeconds")) {
    spec.Set("terminationGracePeriodSeconds", 30);
  }
  // serviceAccount is the deprecated name of the same field.
  const std::string& account = spec.Get("serviceAccountName").AsString();
  const std::string& deprecated = spec.Get("serviceAccount").AsString();
  if (account.empty() && !deprecated.empty()) {
    spec.Set("serviceAccountName", std::string(deprecated));
  } else if (!account.empty() && deprecated != account) {
    spec.Set("serviceAccount", std::string(account));
  }
  ChangeItems(spec, "containers", NeedsDefaults, DefaultContainer);
  ChangeItems(spec, "initContainers", NeedsDefaults, DefaultContainer);
  ChangeItems(spec, "volumes", LacksSource,
              [](json::Value& volume) { volume.Set("emptyDir", json::Value::Object()); });
}

void DefaultPodOnly(json::Value& spec) {
  ChangeItems(spec, "containers", LacksRequests, DefaultRequests);
  ChangeItems(spec, "initContainers", LacksRequests, DefaultRequests);
  if (spec.Get("terminationGracePeriodSeconds").AsInteger() < 0) {
    spec.Set("terminationGracePeriodSeconds", 1);
  }
  if (!Has(spec, "enableServiceLinks")) spec.Set("enableServiceLinks", true);
  if (spec.Get("hostNetwork").AsBool()) {
    DefaultHostPorts(spec, "containers");
    DefaultHostPorts(spec, "initContainers");
  }
  TolerateForFiveMinutes(spec, "node.kubernetes.io/not-ready");
  TolerateForFiveMinutes(spec, "node.kubernetes.io/unreachable");
}

void AdmitPriority(json::Value& spec) {
  if (!Has(spec, "preemptionPolicy")) spec.Set("preemptionPolicy", "PreemptLowerPriority");
  if (!Has(spec, "priority")) spec.Set("priority", 0);
}

void KeepPriority(json::Value& spec, const json::Value& before) {
  for (const std::string_view field : {"preemptionPolicy", "priority"}) {
    if (!Has(spec, field) && Has(before, field)) spec.Set(field, before.Get(field));
  }
}

std::string_view QosClassOf(const json::Value& pod_spec) {
  bool guaranteed = true;
  bool best_effort = true;
  for (const std::string_view list : {"containers", "initContainers"}) {
    for (const json::Value& container : pod_spec.Get(list).items()) {
      const json::Value& limits = container.Get("resources", "limits");
      const json::Value& requests = container.Get("resources", "requests");
      for (const std::string_view name : {"cpu", "memory"}) {
        const bool limited = IsPositive(limits, name);
        const bool requested = IsPositive(requests, name);
        if (limited || requested) best_effort = false;
        if (!limited || !requested ||
            CompareQuantities(limits.Get(name).AsString(), requests.Get(name).AsString()) != 0) {
          guaranteed = false;
        }
      }
    }
  }
  if (best_effort) return "BestEffort";
  return guaranteed ? "Guaranteed" : "Burstable";
}

}  // namespace capstan::testing::server
