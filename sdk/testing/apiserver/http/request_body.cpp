#include "apiserver/http/request_body.h"

#include <algorithm>
#include <array>
#include <utility>

#include "apiserver/codec/json_syntax.h"
#include "apiserver/http/api_errors.h"

namespace capstan::testing::server {
namespace {

constexpr std::string_view kParseError = "couldn't get version/kind; json parse error: ";

// The group and version in an apiVersion ("apps/v1").
struct ApiVersionParts {
  explicit ApiVersionParts(std::string_view api_version) {
    const size_t slash = api_version.find('/');
    if (slash != std::string_view::npos) group = api_version.substr(0, slash);
    version = api_version.substr(slash == std::string_view::npos ? 0 : slash + 1);
  }

  std::string_view group;
  std::string_view version;
};

// The start of a body, as the API prints it in decoding errors.
std::string Summary(std::string_view body) {
  constexpr size_t kMost = 30;
  if (body.empty()) return "<empty>";
  const std::string_view start = body.substr(0, kMost);
  std::string summary;
  if (body.front() == '{') {
    summary = start;
  } else {
    constexpr std::string_view kDigits = "0123456789abcdef";
    for (const char c : start) {
      const auto byte = static_cast<unsigned char>(c);
      summary += kDigits[byte >> 4];
      summary += kDigits[byte & 15];
    }
  }
  return body.size() > kMost ? summary + " ..." : summary;
}

Status Unrecognized(std::string_view body, const ObjectType& type, std::string_view why) {
  return BadRequestError("the object provided is unrecognized (must be of type " + type.name +
                         "): " + std::string(why) + " (" + Summary(body) + ")");
}

Status CannotBeHandled(const json::Value& object, const ObjectType& type, std::string_view why) {
  const ApiVersionParts version(object.Get("apiVersion").AsString());
  return BadRequestError(object.Get("kind").AsString() + " in version \"" +
                         std::string(version.version) + "\" cannot be handled as a " + type.name +
                         ": " + std::string(why));
}

// Returns why apiVersion and kind cannot be read, or "".
std::string FaultOfTypeMeta(const json::Value& body) {
  constexpr std::string_view kCannot = "json: cannot unmarshal ";
  if (!body.IsObject() && !body.IsNull()) {
    return std::string(kParseError) + std::string(kCannot) + std::string(JsonName(body)) +
           " into Go value of type struct { APIVersion string \"json:\\\"apiVersion,omitempty"
           "\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }";
  }
  for (const char* field : {"apiVersion", "kind"}) {
    const json::Value& value = body.Get(field);
    if (value.IsString() || value.IsNull()) continue;
    return std::string(kParseError) + std::string(kCannot) + std::string(JsonName(value)) +
           " into Go struct field ." + field + " of type string";
  }
  return {};
}

// The version of a custom resource is compared as a text. Other versions are parsed into group and
// version.
std::string FaultOfVersion(const json::Value& body, const ObjectType& type) {
  const std::string& version = body.Get("apiVersion").AsString();
  if (type.custom || std::count(version.begin(), version.end(), '/') < 2) return {};
  return "unexpected GroupVersion string: " + version;
}

// The Go package of the kinds in a group.
std::string GoPackage(std::string_view group) {
  if (group.empty() || group == "events.k8s.io") return "core";
  return std::string(group.substr(0, group.find('.')));
}

// The body must have the kind and version of the path.
Status CheckKind(const json::Value& body, std::string_view api_version, const ObjectType& type) {
  const std::string& found = body.Get("apiVersion").AsString();
  const std::string& kind = body.Get("kind").AsString();
  if (found == api_version && kind == type.name) return Status::Ok();
  const std::string wrong_version = "the API version in the data (" + found +
                                    ") does not match the expected API version (" +
                                    std::string(api_version) + ")";
  // Any kind can be decoded as a custom resource. Validation reports a wrong kind.
  if (type.custom) return found == api_version ? Status::Ok() : BadRequestError(wrong_version);
  if (!SchemaSet::BuiltIn().Find(found + "." + kind)) {
    return CannotBeHandled(body, type,
                           "no kind " + Quoted(kind) + " is registered for version " +
                               Quoted(found) + " in scheme \"pkg/api/legacyscheme/scheme.go:30\"");
  }
  if (kind == type.name) return BadRequestError(wrong_version);
  return CannotBeHandled(body, type,
                         "converting (" + std::string(ApiVersionParts(found).version) + "." + kind +
                             ") to (" + GoPackage(ApiVersionParts(api_version).group) + "." +
                             type.name + "): unknown conversion");
}

// Returns the type of the same kind in the body's version, or null if there is none. The body is
// decoded with this type before the versions are compared.
const ObjectType* SiblingOf(const json::Value& type_meta, const ObjectType& type) {
  if (type.custom || type_meta.Get("kind").AsString() != type.name) return nullptr;
  return SchemaSet::BuiltIn().Find(type_meta.Get("apiVersion").AsString() + "." + type.name);
}

// The error text depends on the validation: a decoder without field validation fills in the
// expected apiVersion and kind.
Status KindIsMissing(const ApiRequest& request, json::Value body, std::string_view api_version,
                     const ObjectType& type, FieldValidation validation) {
  const std::string why = "Object 'Kind' is missing in '" + std::string(request.body) + "'";
  if (validation != FieldValidation::kIgnore) return Unrecognized(request.body, type, why);
  if (body.Get("apiVersion").IsEmpty()) body.Set("apiVersion", api_version);
  body.Set("kind", type.name);
  return CannotBeHandled(body, type, why);
}

}  // namespace

Result<json::Value> ReadBody(const ApiRequest& request, std::string_view api_version,
                             const ObjectType& type, FieldValidation validation,
                             Warnings& warnings) {
  const std::string& media = request.content_type;
  if (!media.empty() && media != "application/json" && media != "application/yaml") {
    return UnsupportedMediaTypeError(
        "application/json, application/yaml, application/vnd.kubernetes.protobuf");
  }
  std::vector<std::string> duplicates;
  Result<json::Value> body =
      ParseBody(request.body, media, duplicates,
                type.custom ? json::Repeated::kLast : json::Repeated::kMerged);
  if (!body.ok()) {
    const std::string& why = body.status().message();
    return Unrecognized(request.body, type,
                        media == "application/yaml" ? why : std::string(kParseError) + why);
  }
  if (const std::string fault = FaultOfTypeMeta(*body); !fault.empty()) {
    return Unrecognized(request.body, type, fault);
  }
  if (const std::string fault = FaultOfVersion(*body, type); !fault.empty()) {
    return Unrecognized(request.body, type, fault);
  }
  if (type.custom && body->Get("kind").IsEmpty()) {
    return KindIsMissing(request, *body, api_version, type, validation);
  }
  if (type.custom && body->Find("apiVersion") && body->Get("apiVersion").IsNull()) {
    return CannotBeHandled(
        *body, type, ".apiVersion accessor error: <nil> is of the type <nil>, expected string");
  }
  if (!type.custom && body->Get("kind").IsEmpty()) body->Set("kind", type.name);
  if (!type.custom && body->Get("apiVersion").IsEmpty()) body->Set("apiVersion", api_version);
  const json::Value type_meta =
      json::Value::Object({{"apiVersion", body->Get("apiVersion")}, {"kind", body->Get("kind")}});
  const Status kind = CheckKind(*body, api_version, type);
  const ObjectType* decoded_as = kind.ok() ? &type : SiblingOf(type_meta, type);
  if (!decoded_as) return kind;
  // The schema of a custom resource does not apply to another kind.
  if (type.custom && type_meta.Get("kind").AsString() != type.name) {
    return *std::move(body);
  }
  Result<Decoded> decoded = Conform(*std::move(body), *decoded_as, validation, duplicates);
  if (!decoded.ok()) return CannotBeHandled(type_meta, type, decoded.status().message());
  warnings.Add(std::move(decoded->warnings));
  if (!kind.ok()) return kind;
  return std::move(decoded->object);
}

Result<json::Value> ReadObject(const ApiRequest& request, FieldValidation validation,
                               Warnings& warnings) {
  const Resource& resource = *request.resource;
  return ReadBody(request, resource.ApiVersion(), *resource.type, validation, warnings);
}

}  // namespace capstan::testing::server
