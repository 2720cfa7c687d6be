#include "apiserver/validation/probe.h"

#include <string>

#include "apiserver/validation/names.h"

namespace capstan::testing::server {
namespace {

void ValidateHttpGet(const json::Value& action, const FieldPath& path, FieldErrors& errors) {
  if (action.Get("path").AsString().empty()) errors.Required(path.At("path"));
  ValidatePortOrName(action.Get("port"), path.Child("port"), errors);
  const std::string& scheme = action.Get("scheme").AsString();
  if (scheme != "HTTP" && scheme != "HTTPS") {
    errors.NotSupported(path.At("scheme"), scheme, {"HTTP", "HTTPS"});
  }
  for (const json::Value& header : action.Get("httpHeaders").items()) {
    const std::string& name = header.Get("name").AsString();
    AddFaults(FaultsOfHttpHeaderName(name), path.Child("httpHeaders"), name, errors);
  }
}

void ValidateSleep(const json::Value& action, int64_t grace_period, const FieldPath& path,
                   FieldErrors& errors) {
  const int64_t seconds = action.Get("seconds").AsInteger();
  if (seconds >= 0 && seconds <= grace_period) return;
  errors.Invalid(path.Text(), seconds,
                 "must be non-negative and less than terminationGracePeriodSeconds (" +
                     std::to_string(grace_period) + ")");
}

void ValidateAction(std::string_view name, const json::Value& action, int64_t grace_period,
                    const FieldPath& path, FieldErrors& errors) {
  if (name == "exec") {
    if (action.Get("command").items().empty()) errors.Required(path.At("command"));
  } else if (name == "httpGet") {
    ValidateHttpGet(action, path, errors);
  } else if (name == "sleep") {
    ValidateSleep(action, grace_period, path, errors);
  } else {
    ValidatePortOrName(action.Get("port"), path.Child("port"), errors);
  }
}

void ValidateHandler(const json::Value& handler, int64_t grace_period, const FieldPath& path,
                     FieldErrors& errors) {
  bool found = false;
  for (const std::string_view name : {"exec", "httpGet", "tcpSocket", "grpc", "sleep"}) {
    const json::Value* action = handler.Find(name);
    if (!action || action->IsNull()) continue;
    if (found) {
      errors.Forbidden(path.At(name), "may not specify more than 1 handler type");
      continue;
    }
    found = true;
    ValidateAction(name, *action, grace_period, path.Child(name), errors);
  }
  if (!found) errors.Required(path.Text(), "must specify a handler type");
}

void ValidateProbe(const json::Value& probe, int64_t grace_period, const FieldPath& path,
                   FieldErrors& errors) {
  ValidateHandler(probe, grace_period, path, errors);
  for (const std::string_view field : {"initialDelaySeconds", "timeoutSeconds", "periodSeconds",
                                       "successThreshold", "failureThreshold"}) {
    ValidateNotNegative(probe, field, path, errors);
  }
  const json::Value* own_period = probe.Find("terminationGracePeriodSeconds");
  if (own_period && !own_period->IsNull() && own_period->AsInteger() <= 0) {
    errors.Invalid(path.At("terminationGracePeriodSeconds"), *own_period, "must be greater than 0");
  }
}

}  // namespace

void ValidatePortOrName(const json::Value& port, const FieldPath& path, FieldErrors& errors) {
  if (port.IsString()) {
    AddFaults(FaultsOfPortName(port.AsString()), path, port.AsString(), errors);
    return;
  }
  for (const std::string& fault : FaultsOfPort(port.AsInteger())) {
    errors.Invalid(path.Text(), port.AsInteger(), fault);
  }
}

void ValidateLifecycle(const json::Value& lifecycle, int64_t grace_period, const FieldPath& path,
                       FieldErrors& errors) {
  for (const std::string_view moment : {"postStart", "preStop"}) {
    const json::Value* handler = lifecycle.Find(moment);
    if (!handler || handler->IsNull()) continue;
    ValidateHandler(*handler, grace_period, path.Child(moment), errors);
  }
}

void ValidateProbes(const json::Value& container, int64_t grace_period, const FieldPath& path,
                    FieldErrors& errors) {
  for (const std::string_view name : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    const json::Value* probe = container.Find(name);
    if (!probe || probe->IsNull()) continue;
    const FieldPath at = path.Child(name);
    ValidateProbe(*probe, grace_period, at, errors);
    if (name == "readinessProbe") {
      const json::Value* own_period = probe->Find("terminationGracePeriodSeconds");
      if (own_period && !own_period->IsNull()) {
        errors.Invalid(at.At("terminationGracePeriodSeconds"), *own_period,
                       "must not be set for readinessProbes");
      }
    } else if (const int64_t threshold = probe->Get("successThreshold").AsInteger();
               threshold != 1) {
      errors.Invalid(at.At("successThreshold"), threshold, "must be 1");
    }
  }
}

}  // namespace capstan::testing::server
