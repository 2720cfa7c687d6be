#include "apiserver/validation/containers.h"

#include <algorithm>
#include <set>
#include <string>

#include "apiserver/storage/object_fields.h"
#include "apiserver/validation/choice.h"
#include "apiserver/validation/container_environment.h"
#include "apiserver/validation/names.h"
#include "apiserver/validation/probe.h"
#include "apiserver/validation/resource_requirements.h"
#include "apiserver/validation/security_context.h"
#include "apiserver/validation/volumes.h"

namespace capstan::testing::server {
namespace {

void ValidatePort(const json::Value& port, const FieldPath& path, FieldErrors& errors) {
  const int64_t number = port.Get("containerPort").AsInteger();
  if (number == 0) {
    errors.Required(path.At("containerPort"));
  } else {
    for (const std::string& fault : FaultsOfPort(number)) {
      errors.Invalid(path.At("containerPort"), number, fault);
    }
  }
  if (const int64_t host_port = port.Get("hostPort").AsInteger(); host_port != 0) {
    for (const std::string& fault : FaultsOfPort(host_port)) {
      errors.Invalid(path.At("hostPort"), host_port, fault);
    }
  }
  const std::string& protocol = port.Get("protocol").AsString();
  if (protocol.empty()) {
    errors.Required(path.At("protocol"));
  } else if (protocol != "TCP" && protocol != "UDP" && protocol != "SCTP") {
    errors.NotSupported(path.At("protocol"), protocol, {"SCTP", "TCP", "UDP"});
  }
}

void ValidatePorts(const json::Value& ports, const FieldPath& path, FieldErrors& errors) {
  std::set<std::string_view> names;
  for (size_t i = 0; i < ports.items().size(); ++i) {
    const json::Value& port = ports.items()[i];
    const FieldPath at = path.Index(i);
    if (const std::string& name = port.Get("name").AsString(); !name.empty()) {
      if (const Faults faults = FaultsOfPortName(name); !faults.empty()) {
        AddFaults(faults, at.Child("name"), name, errors);
      } else if (!names.insert(name).second) {
        errors.Duplicate(at.At("name"), name);
      }
    }
    ValidatePort(port, at, errors);
  }
}

// Validates the rules that containers and init containers share.
void ValidateContainer(const json::Value& container, const std::set<std::string_view>& volumes,
                       const FieldPath& path, FieldErrors& errors) {
  const std::string& name = container.Get("name").AsString();
  if (name.empty()) {
    errors.Required(path.At("name"));
  } else {
    AddFaults(FaultsOfDnsLabel(name), path.Child("name"), name, errors);
  }
  if (container.Get("image").AsString().empty()) errors.Required(path.At("image"));
  ValidateChoice(container, "terminationMessagePolicy", {"File", "FallbackToLogsOnError"}, path,
                 errors);
  ValidatePorts(container.Get("ports"), path.Child("ports"), errors);
  ValidateEnvironment(container, path, errors);
  ValidateVolumeMounts(container, volumes, path, errors);
  ValidateChoice(container, "imagePullPolicy", {"Always", "IfNotPresent", "Never"}, path, errors);
  ValidateResourceRequirements(container.Get("resources"), path.Child("resources"), errors);
  ValidateSecurityContext(container.Get("securityContext"), path.Child("securityContext"), errors);
}

void ValidateRestartPolicy(const json::Value& container, const FieldPath& path,
                           FieldErrors& errors) {
  if (Has(container, "restartPolicy")) {
    const std::string& policy = container.Get("restartPolicy").AsString();
    if (policy != "Always" && policy != "Never" && policy != "OnFailure") {
      errors.NotSupported(path.At("restartPolicy"), policy, {"Always", "Never", "OnFailure"});
    }
  } else if (!container.Get("restartPolicyRules").items().empty()) {
    errors.Required(path.At("restartPolicy"),
                    "must specify restartPolicy when restart rules are used");
  }
}

// `taken` are the ports of earlier containers: "TCP//8080".
void ValidateHostPorts(const json::Value& container, std::set<std::string>& taken,
                       const FieldPath& path, FieldErrors& errors) {
  const auto& ports = container.Get("ports").items();
  const FieldPath list = path.Child("ports");
  for (size_t i = 0; i < ports.size(); ++i) {
    const int64_t port = ports[i].Get("hostPort").AsInteger();
    if (port == 0) continue;
    const std::string key = ports[i].Get("protocol").AsString() + "/" +
                            ports[i].Get("hostIP").AsString() + "/" + std::to_string(port);
    if (taken.insert(key).second) continue;
    const FieldPath at = list.Index(i);
    errors.Duplicate(at.At("hostPort"), key);
  }
}

void ValidateInitContainer(const json::Value& container, int64_t grace_period,
                           const FieldPath& path, FieldErrors& errors) {
  if (container.Get("restartPolicy").AsString() == "Always") {
    if (Has(container, "lifecycle")) {
      ValidateLifecycle(container.Get("lifecycle"), grace_period, path.Child("lifecycle"), errors);
    }
    ValidateProbes(container, grace_period, path, errors);
    return;
  }
  for (const std::string_view field :
       {"lifecycle", "livenessProbe", "readinessProbe", "startupProbe"}) {
    if (!Has(container, field)) continue;
    errors.Forbidden(path.At(field),
                     "may not be set for init containers without restartPolicy=Always");
  }
}

}  // namespace

void ValidateContainers(const json::Value& pod_spec, const std::set<std::string_view>& volumes,
                        const FieldPath& path, FieldErrors& errors) {
  const int64_t grace_period = pod_spec.Get("terminationGracePeriodSeconds").AsInteger();
  std::set<std::string_view> names;
  const auto& containers = pod_spec.Get("containers").items();
  const FieldPath list = path.Child("containers");
  if (containers.empty()) errors.Required(list.Text());
  for (size_t i = 0; i < containers.size(); ++i) {
    const json::Value& container = containers[i];
    const FieldPath at = list.Index(i);
    ValidateContainer(container, volumes, at, errors);
    const std::string& name = container.Get("name").AsString();
    if (!names.insert(name).second) errors.Duplicate(at.At("name"), name);
    if (Has(container, "lifecycle")) {
      ValidateLifecycle(container.Get("lifecycle"), grace_period, at.Child("lifecycle"), errors);
    }
    ValidateProbes(container, grace_period, at, errors);
    ValidateRestartPolicy(container, at, errors);
  }
  std::set<std::string> host_ports;
  for (size_t i = 0; i < containers.size(); ++i) {
    ValidateHostPorts(containers[i], host_ports, list.Index(i), errors);
  }

  const auto& init_containers = pod_spec.Get("initContainers").items();
  const FieldPath init_list = path.Child("initContainers");
  for (size_t i = 0; i < init_containers.size(); ++i) {
    const json::Value& container = init_containers[i];
    const FieldPath at = init_list.Index(i);
    ValidateContainer(container, volumes, at, errors);
    ValidateRestartPolicy(container, at, errors);
    const std::string& name = container.Get("name").AsString();
    if (names.contains(name)) {
      errors.Duplicate(at.At("name"), name);
    } else if (!name.empty()) {
      names.insert(name);
    }
    // Init containers run one after the other, so their ports do not conflict.
    host_ports.clear();
    ValidateHostPorts(container, host_ports, at, errors);
    ValidateInitContainer(container, grace_period, at, errors);
  }
}

}  // namespace capstan::testing::server
