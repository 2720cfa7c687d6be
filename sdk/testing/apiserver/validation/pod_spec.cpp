#include "apiserver/validation/pod_spec.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <capstan/runtime/format.h>

#include "apiserver/validation/choice.h"
#include "apiserver/validation/containers.h"
#include "apiserver/validation/label_selector.h"
#include "apiserver/validation/names.h"
#include "apiserver/validation/object_meta.h"
#include "apiserver/validation/security_context.h"
#include "apiserver/validation/volumes.h"
#include "base/text/joined.h"

namespace capstan::testing::server {
namespace {

constexpr std::string_view kDeletionCost = "controller.kubernetes.io/pod-deletion-cost";
constexpr std::string_view kMirror = "kubernetes.io/config.mirror";

bool IsInt32(std::string_view text) {
  int32_t number = 0;
  const bool padded = text.size() > 1 && (text[0] == '0' || text[0] == '+');
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !padded;
}

void ValidateText(const json::Value& spec, std::string_view field,
                  Faults (*check)(std::string_view), const FieldPath& path, FieldErrors& errors) {
  const std::string& value = spec.Get(field).AsString();
  if (!value.empty()) AddFaults(check(value), path.Child(field), value, errors);
}

void ValidateHostNetwork(const json::Value& spec, PodSpecOf of, const FieldPath& path,
                         FieldErrors& errors) {
  if (!spec.Get("hostNetwork").AsBool()) return;
  const auto& containers = spec.Get("containers").items();
  const FieldPath list = path.Child("containers");
  for (size_t i = 0; i < containers.size(); ++i) {
    const FieldPath container = list.Index(i);
    const FieldPath ports = container.Child("ports");
    const auto& all = containers[i].Get("ports").items();
    for (size_t j = 0; j < all.size(); ++j) {
      const int64_t host_port = all[j].Get("hostPort").AsInteger();
      if (of == PodSpecOf::kTemplate && host_port == 0) continue;
      if (host_port == all[j].Get("containerPort").AsInteger()) continue;
      const FieldPath at = ports.Index(j);
      errors.Invalid(at.At("hostPort"), host_port,
                     "must match `containerPort` when `hostNetwork` is true");
    }
  }
}

void ValidateDnsConfig(const json::Value& spec, const FieldPath& path, FieldErrors& errors) {
  constexpr size_t kMostNameservers = 3;
  const json::Value& config = spec.Get("dnsConfig");
  const json::Value& nameservers = config.Get("nameservers");
  if (spec.Get("dnsPolicy").AsString() == "None") {
    if (config.IsNull()) {
      errors.Required(path.Text(), "must provide `dnsConfig` when `dnsPolicy` is None");
      return;
    }
    if (nameservers.items().empty()) {
      errors.Required(path.At("nameservers"),
                      "must provide at least one DNS nameserver when `dnsPolicy` is None");
      return;
    }
  }
  if (nameservers.items().size() > kMostNameservers) {
    errors.Invalid(path.At("nameservers"), nameservers, "must not have more than 3 nameservers");
  }
  const FieldPath list = path.Child("nameservers");
  for (size_t i = 0; i < nameservers.items().size(); ++i) {
    const std::string& address = nameservers.items()[i].AsString();
    AddFaults(FaultsOfIp(address), list.Index(i), address, errors);
  }
}

void ValidateGates(const json::Value& spec, const FieldPath& path, FieldErrors& errors) {
  const auto& readiness = spec.Get("readinessGates").items();
  const FieldPath readiness_list = path.Child("readinessGates");
  for (size_t i = 0; i < readiness.size(); ++i) {
    const std::string& type = readiness[i].Get("conditionType").AsString();
    const FieldPath at = readiness_list.Index(i);
    AddFaults(FaultsOfQualifiedName(type), at.Child("conditionType"), type, errors);
  }
  const auto& scheduling = spec.Get("schedulingGates").items();
  const FieldPath scheduling_list = path.Child("schedulingGates");
  std::set<std::string_view> gates;
  for (size_t i = 0; i < scheduling.size(); ++i) {
    const std::string& name = scheduling[i].Get("name").AsString();
    AddFaults(FaultsOfQualifiedName(name), scheduling_list.Index(i), name, errors);
    if (!gates.insert(name).second) errors.Duplicate(path.At("schedulingGates", i), name);
  }
}

void ValidateTopologySpread(const json::Value& constraints, const FieldPath& path,
                            FieldErrors& errors) {
  const auto& all = constraints.items();
  std::map<std::pair<std::string_view, std::string_view>, size_t> left;
  for (const json::Value& one : all) {
    ++left[{one.Get("topologyKey").AsString(), one.Get("whenUnsatisfiable").AsString()}];
  }
  for (size_t i = 0; i < all.size(); ++i) {
    const FieldPath at = path.Index(i);
    const std::string& key = all[i].Get("topologyKey").AsString();
    const std::string& action = all[i].Get("whenUnsatisfiable").AsString();
    if (const int64_t skew = all[i].Get("maxSkew").AsInteger(); skew <= 0) {
      errors.Invalid(at.At("maxSkew"), skew, "must be greater than zero");
    }
    if (key.empty()) errors.Required(at.At("topologyKey"), "can not be empty");
    if (action != "DoNotSchedule" && action != "ScheduleAnyway") {
      errors.NotSupported(at.At("whenUnsatisfiable"), action, {"DoNotSchedule", "ScheduleAnyway"});
    }
    // Every duplicate except the last one is an error.
    if (--left[{key, action}] > 0) {
      errors.Duplicate(at.At("{topologyKey, whenUnsatisfiable}"),
                       Format("{{{}, {}}}", key, action));
    }
    ValidateLabelSelector(all[i].Get("labelSelector"), at.Child("labelSelector"), errors);
  }
}

void ValidateHostAliases(const json::Value& aliases, const FieldPath& path, FieldErrors& errors) {
  for (size_t i = 0; i < aliases.items().size(); ++i) {
    const json::Value& alias = aliases.items()[i];
    const FieldPath at = path.Index(i);
    const std::string& address = alias.Get("ip").AsString();
    AddFaults(FaultsOfIp(address), at.Child("ip"), address, errors);
    const auto& names = alias.Get("hostnames").items();
    const FieldPath list = at.Child("hostnames");
    for (size_t j = 0; j < names.size(); ++j) {
      AddFaults(FaultsOfDnsSubdomain(names[j].AsString()), list.Index(j), names[j].AsString(),
                errors);
    }
  }
}

void ValidateActiveDeadline(const json::Value& spec, const FieldPath& path, FieldErrors& errors) {
  const json::Value* deadline = spec.Find("activeDeadlineSeconds");
  if (!deadline || deadline->IsNull()) return;
  if (deadline->AsInteger() >= 1 && deadline->AsInteger() <= INT32_MAX) return;
  errors.Invalid(path.At("activeDeadlineSeconds"), *deadline, BetweenInclusive(1, INT32_MAX));
}

void ValidateImages(const json::Value& containers, const FieldPath& path, FieldErrors& errors) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  for (size_t i = 0; i < containers.items().size(); ++i) {
    const std::string& image = containers.items()[i].Get("image").AsString();
    if (image.empty()) continue;
    if (kSpace.find(image.front()) == std::string_view::npos &&
        kSpace.find(image.back()) == std::string_view::npos) {
      continue;
    }
    const FieldPath at = path.Index(i);
    errors.Invalid(at.At("image"), image, "must not have leading or trailing whitespace");
  }
}

void ValidateToleration(const json::Value& toleration, const FieldPath& path, FieldErrors& errors) {
  const std::string& key = toleration.Get("key").AsString();
  const std::string& op = toleration.Get("operator").AsString();
  const std::string& value = toleration.Get("value").AsString();
  const std::string& effect = toleration.Get("effect").AsString();
  if (!key.empty()) AddFaults(FaultsOfQualifiedName(key), path.Child("key"), key, errors);
  if (key.empty() && op != "Exists") {
    errors.Invalid(path.At("operator"), op,
                   "operator must be Exists when `key` is empty, which means \"match all values "
                   "and all keys\"");
  }
  if (!toleration.Get("tolerationSeconds").IsNull() && effect != "NoExecute") {
    errors.Invalid(path.At("effect"), effect,
                   "effect must be 'NoExecute' when `tolerationSeconds` is set");
  }
  if (op.empty() || op == "Equal") {
    if (const Faults faults = FaultsOfLabelValue(value); !faults.empty()) {
      errors.Invalid(path.At("operator"), value, text::Joined(faults, ";"));
    }
  } else if (op == "Exists") {
    if (!value.empty()) {
      errors.Invalid(path.At("operator"), value, "value must be empty when `operator` is 'Exists'");
    }
  } else if (op == "Lt" || op == "Gt") {
    errors.NotSupported(path.At("operator"), op, {"Equal", "Exists", "Lt", "Gt"});
  } else {
    errors.NotSupported(path.At("operator"), op, {"Equal", "Exists"});
  }
  if (!effect.empty()) ValidateTaintEffect(effect, path.Child("effect"), errors);
}

}  // namespace

void ValidateTaintEffect(std::string_view effect, const FieldPath& path, FieldErrors& errors) {
  if (effect == "NoSchedule" || effect == "PreferNoSchedule" || effect == "NoExecute") return;
  errors.NotSupported(path.Text(), effect, {"NoSchedule", "PreferNoSchedule", "NoExecute"});
}

void ValidateTolerations(const json::Value& tolerations, const FieldPath& path,
                         FieldErrors& errors) {
  const auto& all = tolerations.items();
  for (size_t i = 0; i < all.size(); ++i) ValidateToleration(all[i], path.Index(i), errors);
}

void ValidatePodAnnotations(const json::Value& annotations, const json::Value& spec,
                            const FieldPath& path, FieldErrors& errors) {
  if (annotations.members().empty()) return;
  if (const json::Value* mirror = annotations.Find(kMirror);
      mirror && spec.Get("nodeName").AsString().empty()) {
    errors.Invalid(path.Key(kMirror).Text(), *mirror,
                   "must set spec.nodeName if mirror pod annotation is set");
  }
  if (const json::Value* cost = annotations.Find(kDeletionCost);
      cost && !IsInt32(cost->AsString())) {
    errors.Invalid(path.Key(kDeletionCost).Text(), *cost, "must be a 32bit integer");
  }
}

void ValidatePodSpec(const json::Value& spec, PodSpecOf of, const FieldPath& path,
                     FieldErrors& errors) {
  if (spec.Get("terminationGracePeriodSeconds").IsNull()) {
    errors.Required(path.At("terminationGracePeriodSeconds"));
  }
  const std::set<std::string_view> volumes =
      ValidateVolumes(spec.Get("volumes"), path.Child("volumes"), errors);
  ValidateContainers(spec, volumes, path, errors);
  ValidateHostNetwork(spec, of, path, errors);
  ValidateChoice(spec, "restartPolicy", {"Always", "OnFailure", "Never"}, path, errors);
  ValidateChoice(spec, "dnsPolicy", {"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"},
                 path, errors);
  ValidateLabels(spec.Get("nodeSelector"), path.Child("nodeSelector"), errors);
  ValidatePodSecurityContext(spec, path.Child("securityContext"), errors);
  ValidateDnsConfig(spec, path.Child("dnsConfig"), errors);
  ValidateGates(spec, path, errors);
  ValidateTopologySpread(spec.Get("topologySpreadConstraints"),
                         path.Child("topologySpreadConstraints"), errors);
  ValidateText(spec, "serviceAccountName", FaultsOfDnsSubdomain, path, errors);
  ValidateText(spec, "nodeName", FaultsOfDnsSubdomain, path, errors);
  ValidateActiveDeadline(spec, path, errors);
  ValidateText(spec, "hostname", FaultsOfDnsLabel, path, errors);
  ValidateText(spec, "subdomain", FaultsOfDnsLabel, path, errors);
  ValidateTolerations(spec.Get("tolerations"), path.Child("tolerations"), errors);
  ValidateHostAliases(spec.Get("hostAliases"), path.Child("hostAliases"), errors);
  ValidateText(spec, "priorityClassName", FaultsOfDnsSubdomain, path, errors);
  ValidateText(spec, "runtimeClassName", FaultsOfDnsSubdomain, path, errors);
  if (!spec.Get("preemptionPolicy").IsNull()) {
    ValidateChoice(spec, "preemptionPolicy", {"PreemptLowerPriority", "Never"}, path, errors);
  }
  if (of == PodSpecOf::kPod) {
    ValidateImages(spec.Get("containers"), path.Child("containers"), errors);
    ValidateImages(spec.Get("initContainers"), path.Child("initContainers"), errors);
  }
}

void ValidatePodTemplate(const json::Value& pod_template, const FieldPath& path,
                         FieldErrors& errors) {
  const json::Value& spec = pod_template.Get("spec");
  const json::Value& annotations = pod_template.Get("metadata", "annotations");
  ValidateLabels(pod_template.Get("metadata", "labels"), path.Child("labels"), errors);
  ValidateAnnotations(annotations, path.Child("annotations"), errors);
  ValidatePodAnnotations(annotations, spec, path.Child("annotations"), errors);
  ValidatePodSpec(spec, PodSpecOf::kTemplate, path.Child("spec"), errors);
  if (!spec.Get("ephemeralContainers").items().empty()) {
    const FieldPath at = path.Child("spec");
    errors.Forbidden(at.At("ephemeralContainers"),
                     "ephemeral containers not allowed in pod template");
  }
}

}  // namespace capstan::testing::server
