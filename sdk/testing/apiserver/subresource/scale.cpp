#include "apiserver/subresource/scale.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "apiserver/codec/decoding.h"
#include "apiserver/http/api_errors.h"
#include "apiserver/http/request_body.h"
#include "apiserver/http/write_options.h"
#include "apiserver/patch/object_patch.h"
#include "apiserver/storage/system_fields.h"
#include "apiserver/storage/writer.h"
#include "apiserver/subresource/subresources.h"
#include "apiserver/validation/object_meta.h"

namespace capstan::testing::server {
namespace {

// Splits a path (".spec.replicas") into keys.
std::vector<std::string> StepsOf(std::string_view path) {
  std::vector<std::string> keys;
  if (path.starts_with('.')) path.remove_prefix(1);
  while (!path.empty()) {
    const size_t dot = path.find('.');
    keys.emplace_back(path.substr(0, dot));
    if (dot == std::string_view::npos) break;
    path.remove_prefix(dot + 1);
  }
  return keys;
}

const json::Value& At(const json::Value& object, std::string_view path) {
  const json::Value* place = &object;
  for (const std::string& key : StepsOf(path)) place = &place->Get(key);
  return *place;
}

json::Value& MutableAt(json::Value& object, std::string_view path) {
  json::Value* place = &object;
  for (const std::string& key : StepsOf(path)) place = &place->Mutable(key);
  return *place;
}

void AppendValues(std::string& text, const json::Value& values) {
  std::vector<std::string> sorted;
  for (const json::Value& value : values.items()) sorted.push_back(value.AsString());
  std::sort(sorted.begin(), sorted.end());
  text += " (";
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (i) text += ',';
    text += sorted[i];
  }
  text += ')';
}

std::string RequirementText(const json::Value& expression) {
  const std::string& key = expression.Get("key").AsString();
  const std::string& op = expression.Get("operator").AsString();
  if (op == "Exists") return key;
  if (op == "DoesNotExist") return "!" + key;
  std::string text = key + (op == "In" ? " in" : " notin");
  AppendValues(text, expression.Get("values"));
  return text;
}

class ScaleStrategy : public Strategy {
 public:
  bool WantsQualifiedFinalizers() const override { return true; }
};

const ObjectType& ScaleType() { return *SchemaSet::BuiltIn().Find("autoscaling/v1.Scale"); }

}  // namespace

std::string SelectorText(const json::Value& selector) {
  std::vector<std::pair<std::string, std::string>> terms;
  for (const json::Member& label : selector.Get("matchLabels").members()) {
    terms.emplace_back(label.key, label.key + "=" + label.value.AsString());
  }
  for (const json::Value& expression : selector.Get("matchExpressions").items()) {
    terms.emplace_back(expression.Get("key").AsString(), RequirementText(expression));
  }
  std::stable_sort(terms.begin(), terms.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text;
  for (const auto& [key, term] : terms) {
    if (!text.empty()) text += ',';
    text += term;
  }
  return text;
}

Result<json::Value> ScaleOf(const Resource& resource, const json::Value& object) {
  const json::Value& replicas = At(object, resource.scale_spec_path);
  if (resource.own_schema && replicas.IsNull()) {
    return InternalError("the spec replicas field " + Quoted(resource.scale_spec_path) +
                         " does not exist");
  }
  json::Value metadata = json::Value::Object();
  for (const std::string_view field :
       {"creationTimestamp", "name", "namespace", "resourceVersion", "uid"}) {
    const json::Value& value = object.Get("metadata", field);
    if (!value.IsNull()) metadata.Set(field, value);
  }
  json::Value spec = json::Value::Object();
  if (replicas.AsInteger() != 0) spec.Set("replicas", replicas.AsInteger());
  json::Value status = json::Value::Object();
  status.Set("replicas", At(object, resource.scale_status_path).AsInteger());
  std::string selector;
  if (!resource.own_schema) {
    selector = SelectorText(object.Get("spec", "selector"));
  } else if (!resource.scale_selector_path.empty()) {
    selector = At(object, resource.scale_selector_path).AsString();
  }
  if (!selector.empty()) status.Set("selector", std::move(selector));
  return json::Value::Object({{"apiVersion", "autoscaling/v1"},
                              {"kind", "Scale"},
                              {"metadata", std::move(metadata)},
                              {"spec", std::move(spec)},
                              {"status", std::move(status)}});
}

// For the scale of a custom resource, the API's error does not say what is wrong.
static Status UnreadableScale(const Resource& resource, const Status& why) {
  if (!resource.own_schema || why.http_code() != 400) return why;
  return BadRequestError(
      "no kind is registered for the type v1.Scale in scheme \"pkg/runtime/scheme.go:111\"");
}

Result<json::Value> Scaled(const Resource& resource, const json::Value& object,
                           const json::Value& scale) {
  const int64_t replicas = scale.Get("spec", "replicas").AsInteger();
  if (!resource.own_schema) {
    FieldErrors errors;
    ValidateObjectMeta(scale.Get("metadata"), /*namespaced=*/true, ScaleStrategy(), "metadata",
                       errors);
    if (replicas < 0) {
      errors.Invalid("spec.replicas", replicas, "must be greater than or equal to 0");
    }
    const std::string& name = object.Get("metadata", "name").AsString();
    if (!errors.empty()) return InvalidError("autoscaling", "Scale", name, errors);
  }
  if (replicas > std::numeric_limits<int32_t>::max()) {
    return BadRequestError(
        "Scale in version \"v1\" cannot be handled as a Scale: json: cannot "
        "unmarshal number into Go struct field ScaleSpec.spec.replicas of type "
        "int32");
  }
  json::Value scaled = object;
  MutableAt(scaled, resource.scale_spec_path) = replicas;
  const std::string& version = scale.Get("metadata", "resourceVersion").AsString();
  if (!version.empty()) {
    scaled.Mutable("metadata", "resourceVersion") = version;
  } else if (!resource.own_schema) {
    scaled.Mutable("metadata").Erase("resourceVersion");
  }
  return scaled;
}

namespace {

Result<ApiAnswer> GetScale(Registry& registry, const ApiRequest& request) {
  const Resource& resource = *request.resource;
  const StoredObjectPtr object =
      registry.store().Get(resource.storage, {request.namespace_, request.name});
  if (!object) return NotFoundError(resource, request.name);
  Result<json::Value> scale = ScaleOf(resource, object->value());
  if (!scale.ok()) return scale.status();
  return ApiAnswer{200, *std::move(scale)};
}

Result<ApiAnswer> UpdateScale(Registry& registry, const ApiRequest& request, Warnings& warnings) {
  const Resource& resource = *request.resource;
  const Result<WriteOptions> options = ReadWriteOptions(request, "UpdateOptions");
  if (!options.ok()) return options.status();
  Result<json::Value> decoded =
      ReadBody(request, "autoscaling/v1", ScaleType(), options->validation, warnings);
  if (!decoded.ok()) return UnreadableScale(resource, decoded.status());
  json::Value& scale = *decoded;
  if (Status status = EnsureNamespace(scale, request.namespace_); !status.ok()) return status;
  if (Status status = CheckName(scale, request.namespace_, request.name); !status.ok()) {
    return status;
  }
  const Result<Written> written = registry.Update(
      resource, {request.namespace_, request.name},
      [&](const json::Value& before) { return Scaled(resource, before, scale); },
      {.dry_run = options->dry_run, .uid = scale.Get("metadata", "uid").AsString()}, warnings);
  if (!written.ok()) return written.status();
  Result<json::Value> answer = ScaleOf(resource, written->object);
  if (!answer.ok()) return answer.status();
  return ApiAnswer{200, *std::move(answer)};
}

Result<ApiAnswer> PatchScale(Registry& registry, const ApiRequest& request, Warnings& warnings) {
  const Resource& resource = *request.resource;
  const Result<WriteOptions> options = ReadWriteOptions(request, "PatchOptions");
  if (!options.ok()) return options.status();
  ApiRequest as_patch = request;
  // The ownership of a Scale's field is not tracked separately from the object's.
  std::vector<std::string> duplicates;
  std::string text;
  if (request.verb == "apply") {
    const Result<json::Value> body =
        ParseBody(request.body, "application/apply-patch+yaml", duplicates);
    if (!body.ok()) return BadRequestError("error decoding YAML: " + body.status().message());
    text = json::ToJson(*body);
    as_patch.body = text;
    as_patch.content_type = "application/merge-patch+json";
  }
  const Result<ObjectPatch> patch = ObjectPatch::Of(as_patch, options->validation);
  if (!patch.ok()) return patch.status();
  const Result<Written> written = registry.Update(
      resource, {request.namespace_, request.name},
      [&](const json::Value& before) -> Result<json::Value> {
        const Result<json::Value> old_scale = ScaleOf(resource, before);
        if (!old_scale.ok()) return old_scale.status();
        Result<json::Value> scale = patch->Apply(*old_scale, ScaleType(), warnings);
        if (!scale.ok()) return scale.status();
        if (Status status = EnsureNamespace(*scale, request.namespace_); !status.ok()) {
          return status;
        }
        if (Status status = CheckName(*scale, request.namespace_, request.name); !status.ok()) {
          return status;
        }
        return Scaled(resource, before, *scale);
      },
      {.dry_run = options->dry_run}, warnings);
  if (!written.ok()) return written.status();
  Result<json::Value> answer = ScaleOf(resource, written->object);
  if (!answer.ok()) return answer.status();
  return ApiAnswer{200, *std::move(answer)};
}

}  // namespace

Result<ApiAnswer> ServeScale(Writer& writer, const ApiRequest& request, Warnings& warnings) {
  Registry& registry = writer.registry();
  if (request.verb == "get") return GetScale(registry, request);
  if (request.verb == "update") return UpdateScale(registry, request, warnings);
  return PatchScale(registry, request, warnings);
}

}  // namespace capstan::testing::server
