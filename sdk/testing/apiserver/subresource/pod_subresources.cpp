// The subresources binding and eviction.

#include <utility>

#include "apiserver/http/api_errors.h"
#include "apiserver/http/request_body.h"
#include "apiserver/http/write_options.h"
#include "apiserver/storage/system_fields.h"
#include "apiserver/storage/writer.h"
#include "apiserver/subresource/subresources.h"

namespace capstan::testing::server {
namespace {

json::Value SuccessStatus(int code) {
  return json::Value::Object({{"apiVersion", "v1"},
                              {"code", code},
                              {"kind", "Status"},
                              {"metadata", json::Value::Object()},
                              {"status", "Success"}});
}

// A 500 error without a reason, which the API returns for plain Go errors.
Status PlainError(std::string message) {
  Status::Details details;
  details.http_code = 500;
  details.message = std::move(message);
  return Status(std::move(details));
}

// Sets a condition of a pod. lastTransitionTime changes only with the status.
void SetCondition(json::Value& pod, json::Value condition, const std::string& now) {
  json::Value::Items& conditions = pod.Mutable("status", "conditions").MutableItems();
  condition.Set("lastTransitionTime", now);
  condition.Set("lastProbeTime", json::Value());
  for (json::Value& present : conditions) {
    if (present.Get("type") != condition.Get("type")) continue;
    if (present.Get("status") == condition.Get("status")) {
      condition.Set("lastTransitionTime", present.Get("lastTransitionTime"));
    }
    present = std::move(condition);
    return;
  }
  conditions.push_back(std::move(condition));
}

// Validates the target of a binding. All errors are in one text.
Status CheckTarget(const json::Value& binding) {
  FieldErrors errors;
  const std::string& kind = binding.Get("target", "kind").AsString();
  if (!kind.empty() && kind != "Node") {
    errors.NotSupported("target.kind", kind, {"Node", "<empty>"});
  }
  if (binding.Get("target", "name").AsString().empty()) errors.Required("target.name");
  if (errors.empty()) return Status::Ok();
  return PlainError(errors.ToString());
}

// Returns the pod bound to the node, or the reason why it cannot be bound.
Result<json::Value> Bound(const json::Value& pod, const json::Value& binding,
                          const std::string& now) {
  Resource named;
  named.name = "pods/binding";
  const std::string& name = pod.Get("metadata", "name").AsString();
  if (IsBeingDeleted(pod)) {
    return ConflictError(named, name,
                         "pod " + name + " is being deleted, cannot be assigned to a host");
  }
  const std::string& node = pod.Get("spec", "nodeName").AsString();
  if (!node.empty()) {
    return ConflictError(named, name,
                         "pod " + name + " is already assigned to node " + Quoted(node));
  }
  if (!pod.Get("spec", "schedulingGates").items().empty()) {
    return ConflictError(named, name, "pod " + name + " has non-empty .spec.schedulingGates");
  }
  json::Value bound = pod;
  bound.Mutable("spec", "nodeName") = binding.Get("target", "name");
  for (const std::string_view field : {"annotations", "labels"}) {
    for (const json::Member& member : binding.Get("metadata", field).members()) {
      bound.Mutable("metadata", field, member.key) = member.value;
    }
  }
  if (bound.Get("status").Find("nominatedNodeName")) {
    bound.Mutable("status").Erase("nominatedNodeName");
  }
  SetCondition(bound, json::Value::Object({{"status", "True"}, {"type", "PodScheduled"}}), now);
  return bound;
}

}  // namespace

Result<ApiAnswer> ServeBinding(Writer& writer, const ApiRequest& request, Warnings& warnings) {
  Registry& registry = writer.registry();
  const bool by_collection = request.subresource.empty();
  const Result<WriteOptions> options = ReadWriteOptions(request, "CreateOptions");
  if (!options.ok()) return options.status();
  Result<json::Value> decoded = ReadBody(request, "v1", *SchemaSet::BuiltIn().Find("v1.Binding"),
                                         options->validation, warnings);
  if (!decoded.ok()) return decoded.status();
  json::Value& binding = *decoded;
  if (Status status = EnsureNamespace(binding, request.namespace_); !status.ok()) return status;
  if (Status status = writer.AdmitCreation(request, binding); !status.ok()) return status;
  const std::string& name = binding.Get("metadata", "name").AsString();
  if (!by_collection && name != request.name) {
    return BadRequestError("name in URL does not match name in Binding object");
  }
  if (Status status = CheckTarget(binding); !status.ok()) return status;
  const Resource* pods = registry.catalog().Find("", "v1", "pods");
  if (!pods) return NoSuchPathError();
  Preconditions preconditions;
  const json::Value& metadata = binding.Get("metadata");
  const std::string& uid = metadata.Get("uid").AsString();
  if (!uid.empty()) preconditions.uid = uid;
  const std::string& version = metadata.Get("resourceVersion").AsString();
  if (!version.empty()) preconditions.resource_version = version;
  const std::string now = TimeText(registry.runtime().clock().Now());
  const Result<json::Value> bound =
      registry.Rewrite(*pods, {request.namespace_, name}, preconditions, options->dry_run,
                       [&](const json::Value& pod) { return Bound(pod, binding, now); });
  if (!bound.ok()) return bound.status();
  return ApiAnswer{201, SuccessStatus(201)};
}

Result<ApiAnswer> ServeEviction(Writer& writer, const ApiRequest& request, Warnings& warnings) {
  Registry& registry = writer.registry();
  const Result<WriteOptions> options = ReadWriteOptions(request, "CreateOptions");
  if (!options.ok()) return options.status();
  Result<json::Value> decoded =
      ReadBody(request, "policy/v1", *SchemaSet::BuiltIn().Find("policy/v1.Eviction"),
               options->validation, warnings);
  if (!decoded.ok()) return decoded.status();
  json::Value& eviction = *decoded;
  if (Status status = EnsureNamespace(eviction, request.namespace_); !status.ok()) return status;
  if (Status status = writer.AdmitCreation(request, eviction); !status.ok()) return status;
  if (eviction.Get("metadata", "name").AsString() != request.name) {
    return BadRequestError("name in URL does not match name in Eviction object");
  }
  Result<DeleteOptions> deletion = DeleteOptionsOf(eviction.Get("deleteOptions"));
  if (!deletion.ok()) return deletion.status();
  deletion->dry_run = deletion->dry_run || options->dry_run;

  const NamespacedName name{request.namespace_, request.name};
  if (!deletion->dry_run) {
    const std::string now = TimeText(registry.runtime().clock().Now());
    const Result<json::Value> told =
        registry.Rewrite(*request.resource, name, deletion->preconditions, /*dry_run=*/false,
                         [&](const json::Value& before) -> Result<json::Value> {
                           json::Value pod = before;
                           SetCondition(pod,
                                        json::Value::Object({{"message", "Eviction API: evicting"},
                                                             {"reason", "EvictionByEvictionAPI"},
                                                             {"status", "True"},
                                                             {"type", "DisruptionTarget"}}),
                                        now);
                           return pod;
                         });
    if (!told.ok()) return told.status();
    // The write of this eviction must not fail its own precondition.
    if (deletion->preconditions.resource_version) {
      deletion->preconditions.resource_version =
          told->Get("metadata", "resourceVersion").AsString();
    }
  }
  const Result<Deleted> deleted = registry.Delete(*request.resource, name, *deletion);
  if (!deleted.ok()) return deleted.status();
  return ApiAnswer{201, SuccessStatus(201)};
}

}  // namespace capstan::testing::server
