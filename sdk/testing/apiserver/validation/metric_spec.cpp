#include "apiserver/validation/metric_spec.h"

#include <algorithm>
#include <string>
#include <vector>

#include "apiserver/storage/object_fields.h"
#include "apiserver/validation/names.h"
#include "apiserver/validation/resource_requirements.h"

namespace capstan::testing::server {
namespace {

struct MetricSource {
  std::string_view type;
  std::string_view field;
};

// In the order of kube-apiserver's checks.
constexpr MetricSource kSources[] = {{"Object", "object"},
                                     {"External", "external"},
                                     {"Pods", "pods"},
                                     {"Resource", "resource"},
                                     {"ContainerResource", "containerResource"}};

void ValidateSegment(const json::Value& object, std::string_view field, std::string detail,
                     const FieldPath& path, FieldErrors& errors) {
  const std::string& name = object.Get(field).AsString();
  if (name.empty()) {
    errors.Required(path.At(field), std::move(detail));
  } else {
    AddFaults(FaultsOfPathSegment(name), path.Child(field), name, errors);
  }
}

void ValidateTarget(const json::Value& target, const FieldPath& path, FieldErrors& errors) {
  const std::string& type = target.Get("type").AsString();
  if (type.empty()) errors.Required(path.At("type"), "must specify a metric target type");
  if (type != "Utilization" && type != "Value" && type != "AverageValue") {
    errors.Invalid(path.At("type"), type, "must be either Utilization, Value, or AverageValue");
  }
  for (const std::string_view field : {"value", "averageValue"}) {
    const json::Value& quantity = target.Get(field);
    if (!quantity.IsNull() && CompareQuantities(quantity.AsString(), "0") <= 0) {
      errors.Invalid(path.At(field), quantity, "must be positive");
    }
  }
  const json::Value& utilization = target.Get("averageUtilization");
  if (!utilization.IsNull() && utilization.AsInteger() < 1) {
    errors.Invalid(path.At("averageUtilization"), utilization, "must be greater than 0");
  }
}

// Validates the sources with a metric identifier: Object, Pods and External.
void ValidateNamedSource(std::string_view type, const json::Value& source, const FieldPath& path,
                         FieldErrors& errors) {
  if (type == "Object") {
    ValidateScaleTarget(source.Get("describedObject"), /*core=*/true, path.Child("describedObject"),
                        errors);
  }
  ValidateSegment(source.Get("metric"), "name", "must specify a metric name", path.Child("metric"),
                  errors);
  const json::Value& target = source.Get("target");
  const FieldPath at = path.Child("target");
  ValidateTarget(target, at, errors);
  const bool has_value = Has(target, "value");
  const bool has_average = Has(target, "averageValue");
  if (type == "Pods") {
    if (!has_average) {
      errors.Required(at.At("averageValue"), "must specify a positive target averageValue");
    }
    return;
  }
  if (!has_value && !has_average) {
    errors.Required(at.At("averageValue"),
                    type == "Object"
                        ? "must set either a target value or averageValue"
                        : "must set either a target value for metric or a per-pod target");
  }
  if (type == "External" && has_value && has_average) {
    errors.Forbidden(at.At("value"),
                     "may not set both a target value for metric and a per-pod target");
  }
}

void ValidateResourceSource(std::string_view type, const json::Value& source, const FieldPath& path,
                            FieldErrors& errors) {
  const bool of_container = type == "ContainerResource";
  const std::string& name = source.Get("name").AsString();
  if (name.empty()) {
    errors.Required(path.At("name"), "must specify a resource name");
  } else if (of_container) {
    ValidateContainerResourceName(name, path.Child("name"), errors);
  }
  if (const std::string& container = source.Get("container").AsString(); !of_container) {
    // Only ContainerResource metrics have a container.
  } else if (container.empty()) {
    errors.Required(path.At("container"), "must specify a container");
  } else {
    AddFaults(FaultsOfDnsLabel(container), path.Child("container"), container, errors);
  }
  const json::Value& target = source.Get("target");
  const FieldPath at = path.Child("target");
  ValidateTarget(target, at, errors);
  const bool has_utilization = Has(target, "averageUtilization");
  const bool has_value = Has(target, "averageValue");
  if (!has_utilization && !has_value) {
    errors.Required(at.At("averageUtilization"),
                    "must set either a target raw value or a target utilization");
  } else if (has_utilization && has_value) {
    errors.Forbidden(at.At("averageValue"),
                     "may not set both a target raw value and a target utilization");
  }
}

}  // namespace

void ValidateScaleTarget(const json::Value& reference, bool core, const FieldPath& path,
                         FieldErrors& errors) {
  ValidateSegment(reference, "kind", "", path, errors);
  ValidateSegment(reference, "name", "", path, errors);
  const std::string& version = reference.Get("apiVersion").AsString();
  const auto slashes = std::count(version.begin(), version.end(), '/');
  if (slashes > 1) {
    errors.Invalid(path.At("apiVersion"), version, "unexpected GroupVersion string: " + version);
  } else if (!core && (slashes == 0 || version.starts_with('/'))) {
    errors.Invalid(path.At("apiVersion"), version, "apiVersion must specify API group");
  }
}

void ValidateMetricSpec(const json::Value& metric, const FieldPath& path, FieldErrors& errors) {
  const std::vector<std::string> types = {"ContainerResource", "External", "Object", "Pods",
                                          "Resource"};
  const std::string& type = metric.Get("type").AsString();
  const bool known = std::find(types.begin(), types.end(), type) != types.end();
  if (type.empty()) errors.Required(path.At("type"), "must specify a metric source type");
  if (!known) errors.NotSupported(path.At("type"), type, types);
  std::vector<std::string_view> present;
  for (const MetricSource& source : kSources) {
    if (!Has(metric, source.field)) continue;
    present.push_back(source.field);
    if (present.size() > 1) continue;
    const json::Value& value = metric.Get(source.field);
    const FieldPath at = path.Child(source.field);
    if (source.type == "Resource" || source.type == "ContainerResource") {
      ValidateResourceSource(source.type, value, at, errors);
    } else {
      ValidateNamedSource(source.type, value, at, errors);
    }
  }
  std::string_view expected;
  for (const MetricSource& source : kSources) {
    if (source.type == type) expected = source.field;
  }
  if (!known) {
    errors.NotSupported(path.At("type"), type, types);
  } else if (!Has(metric, expected)) {
    errors.Required(path.At(expected), "must populate information for the given metric source");
  }
  if (present.size() == 1) return;
  for (const std::string_view field : present) {
    if (field == expected) continue;
    errors.Forbidden(path.At(field), "must populate the given metric source only");
  }
}

}  // namespace capstan::testing::server
