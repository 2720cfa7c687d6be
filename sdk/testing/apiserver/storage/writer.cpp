#include "apiserver/storage/writer.h"

#include <utility>

#include "apiserver/http/api_errors.h"
#include "apiserver/http/request_body.h"
#include "apiserver/http/write_options.h"
#include "apiserver/storage/system_fields.h"

namespace capstan::testing::server {
namespace {

NamespacedName NameOf(const ApiRequest& request) { return {request.namespace_, request.name}; }

}  // namespace

ApiAnswer AnswerOf(Written written) {
  return {written.created ? 201 : 200, std::move(written.object)};
}

Result<ApiAnswer> Writer::Serve(const ApiRequest& request, Warnings& warnings) {
  const Resource& resource = *request.resource;
  if (request.subresource.empty()) {
    if (request.verb == "create" && resource.traits.create) {
      return resource.traits.create(*this, request, warnings);
    }
    return ServeObject(request, warnings);
  }
  const Subresource* const part = resource.FindSubresource(request.subresource);
  if (!part) return NoSuchPathError();
  if (!part->Serves(request.verb)) return MethodNotAllowedError({});
  return part->handler(*this, request, warnings);
}

Result<ApiAnswer> Writer::ServeObject(const ApiRequest& request, Warnings& warnings) {
  if (request.verb == "create") return Create(request, warnings);
  if (request.verb == "update") return Update(request, warnings);
  if (request.verb == "patch") return Patch(request, warnings);
  if (request.verb == "apply") return Apply(request, warnings);
  if (request.verb == "delete") return Delete(request, warnings);
  if (request.verb == "deletecollection") return DeleteCollection(request, warnings);
  return MethodNotAllowedError({});
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

Result<ApiAnswer> Writer::Create(const ApiRequest& request, Warnings& warnings) {
  const Resource& resource = *request.resource;
  const Result<WriteOptions> options = ReadWriteOptions(request, "CreateOptions");
  if (!options.ok()) return options.status();
  Result<json::Value> object = ReadObject(request, options->validation, warnings);
  if (!object.ok()) return object.status();
  WipeSystemFields(*object);
  resource.strategy->RecordUser(*object, request.user.name, request.user.uid, request.user.groups);
  if (Status status = EnsureNamespace(*object, request.namespace_); !status.ok()) return status;
  DropRepeatedOwners(*object, /*after_admission=*/false, warnings);
  if (Status status = AdmitCreation(request, *object); !status.ok()) return status;
  Result<Written> written = registry_.Create(resource, request.namespace_, *std::move(object),
                                             options->dry_run, warnings);
  if (!written.ok()) return written.status();
  return AnswerOf(*std::move(written));
}

Result<ApiAnswer> Writer::Update(const ApiRequest& request, Warnings& warnings) {
  const Resource& resource = *request.resource;
  const Result<WriteOptions> options = ReadWriteOptions(request, "UpdateOptions");
  if (!options.ok()) return options.status();
  Result<json::Value> decoded = ReadObject(request, options->validation, warnings);
  if (!decoded.ok()) return decoded.status();
  json::Value& object = *decoded;
  if (Status status = EnsureNamespace(object, request.namespace_); !status.ok()) return status;
  if (Status status = CheckName(object, request.namespace_, request.name); !status.ok()) {
    return status;
  }
  DropRepeatedOwners(object, /*after_admission=*/false, warnings);
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
      terms, warnings);
  if (!written.ok()) return written.status();
  return AnswerOf(*std::move(written));
}

}  // namespace capstan::testing::server
