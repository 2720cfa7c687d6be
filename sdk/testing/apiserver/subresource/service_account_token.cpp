// serviceaccounts/NAME/token. The tokens have the right format but are not verified.

#include <chrono>
#include <utility>

#include "apiserver/http/api_errors.h"
#include "apiserver/http/request_body.h"
#include "apiserver/http/write_options.h"
#include "apiserver/storage/system_fields.h"
#include "apiserver/storage/writer.h"
#include "apiserver/subresource/subresources.h"
#include "base/text/base64.h"

namespace capstan::testing::server {
namespace {

constexpr int64_t kDefaultSeconds = 3600;
constexpr int64_t kFewestSeconds = 600;
constexpr int64_t kMostSeconds = 1LL << 32;

std::string TokenOf(const json::Value& account, int64_t expires, Runtime& runtime) {
  const json::Value& metadata = account.Get("metadata");
  const json::Value header = json::Value::Object({{"alg", "none"}, {"typ", "JWT"}});
  const json::Value claims =
      json::Value::Object({{"exp", expires},
                           {"jti", NewUid(runtime)},
                           {"sub", "system:serviceaccount:" + metadata.Get("namespace").AsString() +
                                       ":" + metadata.Get("name").AsString()}});
  return text::EncodeBase64Url(json::ToJson(header)) + "." +
         text::EncodeBase64Url(json::ToJson(claims)) + "." + text::EncodeBase64Url(NewUid(runtime));
}

Resource TokenRequests() {
  Resource resource;
  resource.group = "authentication.k8s.io";
  resource.name = "TokenRequest";
  resource.kind = resource.name;
  return resource;
}

// The uid in the request selects one account, not a later one with the same name.
Status CheckUid(const json::Value& wanted, const json::Value& account) {
  const std::string& name = account.Get("metadata", "name").AsString();
  const std::string& uid = account.Get("metadata", "uid").AsString();
  const std::string& wanted_uid = wanted.Get("metadata", "uid").AsString();
  if (wanted_uid.empty() || wanted_uid == uid) return Status::Ok();
  return ConflictError(TokenRequests(), name,
                       "the UID in the token request (" + wanted_uid +
                           ") does not match the UID of the service account (" + uid + ")");
}

Status CheckSeconds(int64_t seconds) {
  FieldErrors errors;
  if (seconds < kFewestSeconds) {
    errors.Invalid("spec.expirationSeconds", seconds,
                   "may not specify a duration less than 10 minutes");
  }
  if (seconds > kMostSeconds) {
    errors.Invalid("spec.expirationSeconds", seconds,
                   "may not specify a duration larger than 2^32 seconds");
  }
  return errors.empty() ? Status::Ok() : InvalidError(TokenRequests(), "", errors);
}

// A token is bound to the lifetime of an object, which must exist.
Status CheckBoundObject(const json::Value& reference, const ApiRequest& request,
                        Registry& registry) {
  if (!reference.IsObject()) return Status::Ok();
  const std::string& api_version = reference.Get("apiVersion").AsString();
  const std::string& kind = reference.Get("kind").AsString();
  const bool is_core = api_version.find('/') == std::string::npos;
  const bool can_be_bound = is_core && (kind == "Pod" || kind == "Node" || kind == "Secret");
  const Resource* resource = can_be_bound ? registry.catalog().FindKind("", "v1", kind) : nullptr;
  if (!resource) {
    return BadRequestError(std::string("cannot bind token to object of type ") +
                           (is_core ? "/" : "") + api_version + ", Kind=" + kind);
  }
  const std::string& name = reference.Get("name").AsString();
  const StoredObjectPtr object = registry.store().Get(
      resource->storage, {resource->namespaced ? request.namespace_ : std::string(), name});
  if (!object) return NotFoundError(*resource, name);
  if (kind == "Pod" &&
      object->value().Get("spec", "serviceAccountName").AsString() != request.name) {
    return BadRequestError("cannot bind token for serviceaccount " + Quoted(request.name) +
                           " to pod running with different serviceaccount name.");
  }
  const std::string& uid = reference.Get("uid").AsString();
  const std::string& present = object->value().Get("metadata", "uid").AsString();
  if (uid.empty() || uid == present) return Status::Ok();
  Resource named;
  named.name = kind;
  return ConflictError(named, name,
                       "the UID in the bound object reference (" + uid +
                           ") does not match the UID in record. The object might have been "
                           "deleted and then recreated");
}

}  // namespace

Result<ApiAnswer> ServeToken(Writer& writer, const ApiRequest& request, Warnings& warnings) {
  Registry& registry = writer.registry();
  const Result<WriteOptions> options = ReadWriteOptions(request, "CreateOptions");
  if (!options.ok()) return options.status();
  Result<json::Value> decoded =
      ReadBody(request, "authentication.k8s.io/v1",
               *SchemaSet::BuiltIn().Find("authentication.k8s.io/v1.TokenRequest"),
               options->validation, warnings);
  if (!decoded.ok()) return decoded.status();
  json::Value& wanted = *decoded;
  if (Status status = EnsureNamespace(wanted, request.namespace_); !status.ok()) return status;
  const std::string& name = wanted.Get("metadata", "name").AsString();
  if (!name.empty() && name != request.name) {
    FieldErrors errors;
    errors.Invalid("metadata.name", name, "must match the service account name if specified");
    return InvalidError(TokenRequests(), request.name, errors);
  }
  const StoredObjectPtr account =
      registry.store().Get(request.resource->storage, {request.namespace_, request.name});
  if (!account) return NotFoundError(*request.resource, request.name);
  if (Status status = CheckUid(wanted, account->value()); !status.ok()) return status;
  const json::Value& asked = wanted.Get("spec", "expirationSeconds");
  const int64_t seconds = asked.IsInteger() ? asked.AsInteger() : kDefaultSeconds;
  if (Status status = CheckSeconds(seconds); !status.ok()) return status;
  if (Status status = CheckBoundObject(wanted.Get("spec", "boundObjectRef"), request, registry);
      !status.ok()) {
    return status;
  }

  const WallTime now = registry.runtime().clock().Now();
  const WallTime expires = now + std::chrono::seconds(seconds);
  json::Value& metadata = wanted.Mutable("metadata");
  metadata.Set("creationTimestamp", TimeText(now));
  metadata.Set("name", request.name);
  metadata.Set("uid", account->value().Get("metadata", "uid"));
  wanted.Mutable("spec", "expirationSeconds") = seconds;
  if (wanted.Get("spec", "audiences").items().empty()) {
    wanted.Mutable("spec", "audiences") =
        json::Value::Array({"https://kubernetes.default.svc.cluster.local"});
  }
  const int64_t expires_seconds =
      std::chrono::duration_cast<std::chrono::seconds>(expires.time_since_epoch()).count();
  wanted.Set("status", json::Value::Object({{"expirationTimestamp", TimeText(expires)},
                                            {"token", TokenOf(account->value(), expires_seconds,
                                                              registry.runtime())}}));
  return ApiAnswer{201, std::move(wanted)};
}

}  // namespace capstan::testing::server
