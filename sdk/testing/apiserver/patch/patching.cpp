// Writer: patch and apply.

#include <algorithm>
#include <utility>

#include "apiserver/http/api_errors.h"
#include "apiserver/http/request_body.h"
#include "apiserver/http/write_options.h"
#include "apiserver/patch/apply.h"
#include "apiserver/patch/object_patch.h"
#include "apiserver/storage/system_fields.h"
#include "apiserver/storage/writer.h"

namespace capstan::testing::server {
namespace {

// Checks the configuration of a server-side apply, for any kind.
Status CheckConfiguration(const json::Value& configuration, const Resource& resource) {
  const std::string& version = configuration.Get("apiVersion").AsString();
  const std::string& kind = configuration.Get("kind").AsString();
  if (version != resource.ApiVersion() || kind != resource.kind) {
    const auto slashes = std::count(version.begin(), version.end(), '/');
    return BadRequestError("invalid object type: " +
                           (slashes > 1 ? std::string("/, Kind=")
                                        : (slashes == 0 ? "/" : "") + version + ", Kind=" + kind));
  }
  if (!configuration.Get("metadata", "managedFields").IsNull()) {
    return BadRequestError("metadata.managedFields must be nil");
  }
  return Status::Ok();
}

Status CheckResult(const ApiRequest& request, json::Value& object, const json::Value& before) {
  const std::string& uid = object.Get("metadata", "uid").AsString();
  if (before.IsNull() && !uid.empty()) {
    return ConflictError(*request.resource, request.name,
                         "uid mismatch: the provided object specified uid " + uid +
                             ", and no existing object was found");
  }
  if (Status status = EnsureNamespace(object, request.namespace_); !status.ok()) return status;
  return CheckName(object, request.namespace_, request.name);
}

Status CheckYaml(const Result<json::Value>& configuration) {
  constexpr std::string_view kStart = "error decoding YAML: ";
  if (!configuration.ok()) {
    return BadRequestError(std::string(kStart) + configuration.status().message());
  }
  const json::Value& value = *configuration;
  if (value.IsObject() || value.IsNull()) return Status::Ok();
  const char* const name = value.IsArray()    ? "array"
                           : value.IsString() ? "string"
                           : value.IsBool()   ? "bool"
                                              : "number";
  return BadRequestError(std::string(kStart) +
                         "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal " +
                         name + " into Go value of type map[string]interface {}");
}

// A conflict takes precedence over duplicate fields.
Status CheckRepeated(const std::vector<std::string>& duplicates, FieldValidation validation,
                     Warnings& warnings) {
  if (duplicates.empty() || validation == FieldValidation::kIgnore) return Status::Ok();
  if (validation == FieldValidation::kStrict) {
    return BadRequestError("error strict decoding YAML: error converting YAML to JSON: " +
                           duplicates.front());
  }
  warnings.Add(StrictWarnings(duplicates));
  return Status::Ok();
}

// If an applied configuration has values of wrong types, the API returns an internal error.
Status NotConverted(const Status& why, const ApiRequest& request) {
  const std::string& message = why.message();
  if (message.starts_with("strict decoding error")) return why;
  const Resource& resource = *request.resource;
  const std::string kind =
      (resource.group.empty() ? "/" : "") + resource.ApiVersion() + ", Kind=" + resource.kind;
  const std::string object = "(/" + request.name + "; " + kind + ")";
  Status::Details details;
  details.http_code = 500;
  details.message =
      message.starts_with("json: cannot unmarshal")
          ? "failed to create typed patch object " + object + ": " + message
          : "failed to convert new object " + object +
                " to proper version: unable to convert unstructured object to " + kind + ": " +
                (message.starts_with("illegal base64") ? "error decoding from json: " : "") +
                message;
  return Status(std::move(details));
}

}  // namespace

Result<ApiAnswer> Writer::Patch(const ApiRequest& request, Warnings& warnings) {
  const Resource& resource = *request.resource;
  const Result<WriteOptions> options = ReadWriteOptions(request, "PatchOptions");
  if (!options.ok()) return options.status();
  const Result<ObjectPatch> patch = ObjectPatch::Of(request, options->validation);
  if (!patch.ok()) return patch.status();
  Result<Written> written = registry_.Update(
      resource, {request.namespace_, request.name},
      [&](const json::Value& before) -> Result<json::Value> {
        // A patch does not create objects, even for kinds that an update can create.
        if (before.IsNull()) return NotFoundError(resource, request.name);
        Result<json::Value> object = patch->Apply(before, *resource.type, warnings);
        if (!object.ok()) return object;
        if (Status status = CheckResult(request, *object, before); !status.ok()) return status;
        DropRepeatedOwners(*object, /*after_admission=*/true, warnings);
        return object;
      },
      {.subresource = request.subresource, .dry_run = options->dry_run}, warnings);
  if (!written.ok()) return written.status();
  return AnswerOf(*std::move(written));
}

Result<ApiAnswer> Writer::Apply(const ApiRequest& request, Warnings& warnings) {
  const Resource& resource = *request.resource;
  const Result<WriteOptions> options = ReadWriteOptions(request, "PatchOptions");
  if (!options.ok()) return options.status();
  std::vector<std::string> duplicates;
  const Result<json::Value> configuration =
      ParseBody(request.body, "application/apply-patch+yaml", duplicates);
  const ApplyOptions apply{.field_manager = options->field_manager,
                           .force = options->force,
                           .subresource = request.subresource,
                           .api_version = resource.ApiVersion(),
                           .now = TimeText(registry_.runtime().clock().Now())};
  Result<Written> written = registry_.Update(
      resource, {request.namespace_, request.name},
      [&](const json::Value& before) -> Result<json::Value> {
        if (before.IsNull() && !request.subresource.empty()) {
          return NotFoundError(resource, request.name);
        }
        if (Status status = CheckYaml(configuration); !status.ok()) return status;
        if (Status status = CheckConfiguration(*configuration, resource); !status.ok()) {
          return status;
        }
        Result<json::Value> merged =
            ApplyConfiguration(before, *configuration, *resource.type, apply);
        if (!merged.ok()) return merged;
        Result<Decoded> decoded = Conform(*std::move(merged), *resource.type, options->validation);
        if (!decoded.ok()) return NotConverted(decoded.status(), request);
        json::Value object = std::move(decoded->object);
        warnings.Add(std::move(decoded->warnings));
        if (Status status = CheckRepeated(duplicates, options->validation, warnings);
            !status.ok()) {
          return status;
        }
        if (Status status = CheckResult(request, object, before); !status.ok()) return status;
        if (before.IsNull()) {
          resource.strategy->RecordUser(object, request.user.name, request.user.uid,
                                        request.user.groups);
          if (Status status = AdmitCreation(request, object); !status.ok()) return status;
        }
        DropRepeatedOwners(object, /*after_admission=*/true, warnings);
        return object;
      },
      {.subresource = request.subresource,
       .dry_run = options->dry_run,
       .allow_create = request.subresource.empty(),
       .by_apply = true},
      warnings);
  if (!written.ok()) return written.status();
  return AnswerOf(*std::move(written));
}

}  // namespace capstan::testing::server
