#include "testing/server/writer.h"

#include <utility>

#include "testing/server/api_errors.h"
#include "testing/server/request_body.h"
#include "testing/server/system_fields.h"
#include "testing/server/write_options.h"

namespace capstan::testing::server {
namespace {

ApiAnswer AnswerOf(Written written, std::vector<std::string> warnings) {
  warnings.insert(warnings.end(), std::make_move_iterator(written.warnings.begin()),
                  std::make_move_iterator(written.warnings.end()));
  return {written.created ? 201 : 200, std::move(written.object), std::move(warnings)};
}

NamespacedName NameOf(const ApiRequest& request) { return {request.namespace_, request.name}; }

}  // namespace

Result<ApiAnswer> Writer::Serve(const ApiRequest& request) {
  const std::string& subresource = request.subresource;
  const bool creates = request.verb == "create";
  if (subresource.empty() && creates && request.resource->name == "bindings" &&
      request.resource->group.empty()) {
    return Bind(request, /*by_collection=*/true);
  }
  if (subresource.empty()) return ServeObject(request);
  if (subresource == "status" && request.resource->has_status) {
    if (request.verb == "update" || request.verb == "patch" || request.verb == "apply") {
      return ServeObject(request);
    }
    return MethodNotAllowedError({});
  }
  if (subresource == "scale" && request.resource->has_scale) return ServeScale(request);
  if (subresource == "finalize" && IsNamespaces(*request.resource)) {
    return request.verb == "update" ? Update(request)
                                    : Result<ApiAnswer>(MethodNotAllowedError({}));
  }
  return creates ? ServeCreation(request) : Result<ApiAnswer>(NoSuchPathError());
}

Result<ApiAnswer> Writer::ServeObject(const ApiRequest& request) {
  if (request.verb == "create") return Create(request);
  if (request.verb == "update") return Update(request);
  if (request.verb == "patch") return Patch(request);
  if (request.verb == "apply") return Apply(request);
  if (request.verb == "delete") return Delete(request);
  if (request.verb == "deletecollection") return DeleteCollection(request);
  return MethodNotAllowedError({});
}

Result<ApiAnswer> Writer::ServeScale(const ApiRequest& request) {
  if (request.verb == "get") return GetScale(request);
  if (request.verb == "update") return UpdateScale(request);
  if (request.verb == "patch" || request.verb == "apply") return PatchScale(request);
  return MethodNotAllowedError({});
}

Result<ApiAnswer> Writer::ServeCreation(const ApiRequest& request) {
  if (IsPods(*request.resource)) {
    if (request.subresource == "binding") return Bind(request, /*by_collection=*/false);
    if (request.subresource == "eviction") return Evict(request);
  }
  if (request.resource->name == "serviceaccounts" && request.subresource == "token") {
    return RequestToken(request);
  }
  return NoSuchPathError();
}

Status Writer::AdmitCreation(const ApiRequest& request, const json::Value& object) {
  if (request.namespace_.empty() || IsNamespaces(*request.resource)) return Status::Ok();
  const StoredObjectPtr place =
      registry_.store().Get("namespaces", {std::string(), request.namespace_});
  if (!place) {
    Resource namespaces;
    namespaces.name = "namespaces";
    return NotFoundError(namespaces, request.namespace_);
  }
  if (place->value().Get("status", "phase").AsString() != "Terminating") return Status::Ok();
  std::string name = object.Get("metadata", "name").AsString();
  if (name.empty()) name = object.Get("metadata", "generateName").AsString();
  if (name.empty()) name = "Unknown";
  const Status forbidden =
      ForbiddenError(*request.resource, name,
                     "unable to create new content in namespace " + request.namespace_ +
                         " because it is being terminated");
  Status::Details details;
  details.reason = forbidden.reason();
  details.http_code = forbidden.http_code();
  details.message = forbidden.message();
  details.group = request.resource->group;
  details.kind = request.resource->name;
  details.name = name;
  details.causes.push_back({"NamespaceTerminating",
                            "namespace " + request.namespace_ + " is being terminated",
                            "metadata.namespace"});
  return Status(std::move(details));
}

Result<ApiAnswer> Writer::Create(const ApiRequest& request) {
  const Resource& resource = *request.resource;
  const Result<WriteOptions> options = ReadWriteOptions(request, "CreateOptions");
  if (!options.ok()) return options.status();
  Result<Decoded> decoded = ReadObject(request, options->validation);
  if (!decoded.ok()) return decoded.status();
  json::Value object = std::move(decoded->object);
  WipeSystemFields(object);
  if (Status status = EnsureNamespace(object, request.namespace_); !status.ok()) return status;
  DropRepeatedOwners(object, /*after_admission=*/false, decoded->warnings);
  if (Status status = AdmitCreation(request, object); !status.ok()) return status;
  Result<Written> written =
      registry_.Create(resource, request.namespace_, std::move(object), options->dry_run);
  if (!written.ok()) return written.status();
  return AnswerOf(*std::move(written), std::move(decoded->warnings));
}

Result<ApiAnswer> Writer::Update(const ApiRequest& request) {
  const Resource& resource = *request.resource;
  const Result<WriteOptions> options = ReadWriteOptions(request, "UpdateOptions");
  if (!options.ok()) return options.status();
  Result<Decoded> decoded = ReadObject(request, options->validation);
  if (!decoded.ok()) return decoded.status();
  json::Value& object = decoded->object;
  if (Status status = EnsureNamespace(object, request.namespace_); !status.ok()) return status;
  if (Status status = CheckName(object, request.namespace_, request.name); !status.ok()) {
    return status;
  }
  DropRepeatedOwners(object, /*after_admission=*/false, decoded->warnings);
  const WriteTerms terms{.subresource = request.subresource,
                         .dry_run = options->dry_run,
                         .uid = object.Get("metadata", "uid").AsString()};
  Result<Written> written = registry_.Update(
      resource, NameOf(request),
      [&](const json::Value& before) -> Result<json::Value> {
        if (before.IsNull()) {
          if (Status status = AdmitCreation(request, object); !status.ok()) return status;
        }
        return object;
      },
      terms);
  if (!written.ok()) return written.status();
  return AnswerOf(*std::move(written), std::move(decoded->warnings));
}

}  // namespace capstan::testing::server
