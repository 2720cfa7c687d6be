#include "apiserver/validation/container_environment.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "apiserver/storage/object_fields.h"
#include "apiserver/validation/names.h"
#include "base/text/ascii.h"

namespace capstan::testing::server {
namespace {

const std::vector<std::string>& FieldsOfEnvironment() {
  static const std::vector<std::string> kFields = {"metadata.name",
                                                   "metadata.namespace",
                                                   "metadata.uid",
                                                   "spec.nodeName",
                                                   "spec.serviceAccountName",
                                                   "status.hostIP",
                                                   "status.hostIPs",
                                                   "status.podIP",
                                                   "status.podIPs"};
  return kFields;
}

const std::vector<std::string>& ResourcesOfContainers() {
  static const std::vector<std::string> kResources = {
      "limits.cpu",   "limits.ephemeral-storage",   "limits.memory",
      "requests.cpu", "requests.ephemeral-storage", "requests.memory"};
  return kResources;
}

bool Contains(const std::vector<std::string>& all, std::string_view wanted) {
  return std::find(all.begin(), all.end(), wanted) != all.end();
}

// Whether the downward API knows the field. Not all of them are valid in a variable.
bool IsDownwardField(std::string_view field) {
  constexpr std::array<std::string_view, 5> kOthers = {"metadata.annotations", "metadata.labels",
                                                       "spec.restartPolicy", "spec.schedulerName",
                                                       "status.phase"};
  return Contains(FieldsOfEnvironment(), field) ||
         std::find(kOthers.begin(), kOthers.end(), field) != kOthers.end();
}

// Whether the field is a map with a key: metadata.labels['key'] or metadata.annotations['key'].
bool ValidateSubscript(const std::string& field, const FieldPath& path, FieldErrors& errors) {
  const size_t bracket = field.find("['");
  if (bracket == std::string::npos || field.size() < bracket + 4 ||
      field.substr(field.size() - 2) != "']") {
    return false;
  }
  const std::string_view map = std::string_view(field).substr(0, bracket);
  std::string key = field.substr(bracket + 2, field.size() - bracket - 4);
  if (map != "metadata.labels" && map != "metadata.annotations") return false;
  if (map == "metadata.annotations") key = text::Lower(key);
  AddFaults(FaultsOfQualifiedName(key), path, key, errors);
  return true;
}

void ValidateFieldRef(const json::Value& source, const FieldPath& path, FieldErrors& errors) {
  if (source.Get("apiVersion").AsString().empty()) {
    errors.Required(path.At("apiVersion"));
    return;
  }
  const std::string& field = source.Get("fieldPath").AsString();
  if (field.empty()) {
    errors.Required(path.At("fieldPath"));
  } else if (ValidateSubscript(field, path, errors)) {
    return;
  } else if (!IsDownwardField(field)) {
    errors.Invalid(path.At("fieldPath"), field,
                   "error converting fieldPath: field label not supported: " + field);
  } else if (!Contains(FieldsOfEnvironment(), field)) {
    errors.NotSupported(path.At("fieldPath"), field, FieldsOfEnvironment());
  }
}

void ValidateResourceFieldRef(const json::Value& source, const FieldPath& path,
                              FieldErrors& errors) {
  const std::string& resource = source.Get("resource").AsString();
  if (resource.empty()) {
    errors.Required(path.At("resource"));
  } else if (!Contains(ResourcesOfContainers(), resource) &&
             !resource.starts_with("limits.hugepages-") &&
             !resource.starts_with("requests.hugepages-")) {
    errors.NotSupported(path.At("resource"), resource, ResourcesOfContainers());
  }
}

void ValidateKeyRef(const json::Value& source, const FieldPath& path, FieldErrors& errors) {
  const std::string& name = source.Get("name").AsString();
  AddFaults(FaultsOfDnsSubdomain(name), path.Child("name"), name, errors);
  const std::string& key = source.Get("key").AsString();
  if (key.empty()) {
    errors.Required(path.At("key"));
  } else {
    AddFaults(FaultsOfConfigKey(key), path.Child("key"), key, errors);
  }
}

void ValidateValueFrom(const json::Value& variable, const FieldPath& path, FieldErrors& errors) {
  const json::Value& from = variable.Get("valueFrom");
  int sources = 0;
  if (Has(from, "fieldRef")) {
    ++sources;
    ValidateFieldRef(from.Get("fieldRef"), path.Child("fieldRef"), errors);
  }
  if (Has(from, "resourceFieldRef")) {
    ++sources;
    ValidateResourceFieldRef(from.Get("resourceFieldRef"), path.Child("resourceFieldRef"), errors);
  }
  for (const std::string_view reference : {"configMapKeyRef", "secretKeyRef"}) {
    if (!Has(from, reference)) continue;
    ++sources;
    ValidateKeyRef(from.Get(reference), path.Child(reference), errors);
  }
  if (Has(from, "fileKeyRef")) ++sources;
  if (sources == 0) {
    errors.Invalid(path.Text(), "",
                   "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, "
                   "`secretKeyRef` or `fileKeyRef`");
  } else if (!variable.Get("value").AsString().empty()) {
    errors.Invalid(path.Text(), "", "may not be specified when `value` is not empty");
  } else if (sources > 1) {
    errors.Invalid(path.Text(), "", "may not have more than one field specified at a time");
  }
}

void ValidateEnvFrom(const json::Value& source, const FieldPath& list, const FieldPath& path,
                     FieldErrors& errors) {
  const std::string& prefix = source.Get("prefix").AsString();
  if (!prefix.empty()) AddFaults(FaultsOfEnvName(prefix), path.Child("prefix"), prefix, errors);
  int sources = 0;
  for (const std::string_view reference : {"configMapRef", "secretRef"}) {
    if (!Has(source, reference)) continue;
    ++sources;
    const FieldPath at = path.Child(reference);
    const std::string& name = source.Get(reference).Get("name").AsString();
    if (name.empty()) {
      errors.Required(at.At("name"));
    } else {
      AddFaults(FaultsOfDnsSubdomain(name), at.Child("name"), name, errors);
    }
  }
  if (sources == 0) {
    errors.Invalid(list.Text(), "", "must specify one of: `configMapRef` or `secretRef`");
  } else if (sources > 1) {
    errors.Invalid(list.Text(), "", "may not have more than one field specified at a time");
  }
}

}  // namespace

void ValidateEnvironment(const json::Value& container, const FieldPath& path, FieldErrors& errors) {
  const auto& variables = container.Get("env").items();
  const FieldPath env = path.Child("env");
  for (size_t i = 0; i < variables.size(); ++i) {
    const FieldPath at = env.Index(i);
    const std::string& name = variables[i].Get("name").AsString();
    if (name.empty()) {
      errors.Required(at.At("name"));
    } else {
      AddFaults(FaultsOfEnvName(name), at.Child("name"), name, errors);
    }
    if (Has(variables[i], "valueFrom")) {
      ValidateValueFrom(variables[i], at.Child("valueFrom"), errors);
    }
  }
  const auto& sources = container.Get("envFrom").items();
  const FieldPath env_from = path.Child("envFrom");
  for (size_t i = 0; i < sources.size(); ++i) {
    ValidateEnvFrom(sources[i], env_from, env_from.Index(i), errors);
  }
}

}  // namespace capstan::testing::server
