// serviceaccounts/NAME/token: a token that looks like one; nobody checks it.

#include <chrono>
#include <utility>

#include "testing/server/api_errors.h"
#include "testing/server/request_body.h"
#include "testing/server/system_fields.h"
#include "testing/server/write_options.h"
#include "testing/server/writer.h"

namespace capstan::testing::server {
namespace {

constexpr int64_t kDefaultSeconds = 3600;
constexpr int64_t kFewestSeconds = 600;
constexpr int64_t kMostSeconds = 1LL << 32;

std::string Base64Url(std::string_view bytes) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string text;
  uint32_t bits = 0;
  int held = 0;
  for (const char byte : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(byte);
    for (held += 8; held >= 6; held -= 6) text += kAlphabet[bits >> (held - 6) & 63];
  }
  if (held > 0) text += kAlphabet[bits << (6 - held) & 63];
  return text;
}

std::string TokenOf(const json::Value& account, int64_t expires, Runtime& runtime) {
  const json::Value& metadata = account.Get("metadata");
  const json::Value header = json::Value::Object({{"alg", "none"}, {"typ", "JWT"}});
  const json::Value claims =
      json::Value::Object({{"exp", expires},
                           {"jti", NewUid(runtime)},
                           {"sub", "system:serviceaccount:" + metadata.Get("namespace").AsString() +
                                       ":" + metadata.Get("name").AsString()}});
  return Base64Url(json::ToJson(header)) + "." + Base64Url(json::ToJson(claims)) + "." +
         Base64Url(NewUid(runtime));
}

Result<json::Value> ReadTokenRequest(const ApiRequest& request) {
  std::vector<std::string> duplicates;
  Result<json::Value> body = ParseBody(request.body, request.content_type, duplicates);
  if (!body.ok()) return body;
  const std::string& kind = body->Get("kind").AsString();
  if (!body->IsObject() || (!kind.empty() && kind != "TokenRequest")) {
    return BadRequestError(kind + " cannot be handled as a TokenRequest");
  }
  body->Set("apiVersion", "authentication.k8s.io/v1");
  body->Set("kind", "TokenRequest");
  return body;
}

Status CheckSpec(const json::Value& wanted, const ApiRequest& request, int64_t seconds) {
  FieldErrors errors;
  const std::string& name = wanted.Get("metadata", "name").AsString();
  if (!name.empty() && name != request.name) {
    errors.Invalid("metadata.name", name, "must match the service account name if specified");
    return InvalidError("authentication.k8s.io", "TokenRequest", request.name, errors);
  }
  if (seconds < kFewestSeconds) {
    errors.Invalid("spec.expirationSeconds", seconds,
                   "may not specify a duration less than 10 minutes");
  }
  if (seconds > kMostSeconds) {
    errors.Invalid("spec.expirationSeconds", seconds,
                   "may not specify a duration larger than 2^32 seconds");
  }
  if (errors.empty()) return Status::Ok();
  return InvalidError("authentication.k8s.io", "TokenRequest", "", errors);
}

}  // namespace

Result<ApiAnswer> Writer::RequestToken(const ApiRequest& request) {
  const Result<WriteOptions> options = ReadWriteOptions(request, "CreateOptions");
  if (!options.ok()) return options.status();
  Result<json::Value> read = ReadTokenRequest(request);
  if (!read.ok()) return read.status();
  json::Value& wanted = *read;
  if (Status status = EnsureNamespace(wanted, request.namespace_); !status.ok()) return status;
  const StoredObjectPtr account =
      registry_.store().Get(request.resource->storage, {request.namespace_, request.name});
  if (!account) return NotFoundError(*request.resource, request.name);
  const json::Value& asked = wanted.Get("spec", "expirationSeconds");
  const int64_t seconds = asked.IsInteger() ? asked.AsInteger() : kDefaultSeconds;
  if (Status status = CheckSpec(wanted, request, seconds); !status.ok()) return status;

  const WallTime now = registry_.runtime().clock().Now();
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
                                                              registry_.runtime())}}));
  return ApiAnswer{201, std::move(wanted)};
}

}  // namespace capstan::testing::server
