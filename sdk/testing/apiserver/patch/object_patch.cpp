#include "apiserver/patch/object_patch.h"

#include <utility>

#include "apiserver/codec/go_text.h"
#include "apiserver/http/api_errors.h"
#include "apiserver/http/request_body.h"
#include "apiserver/patch/patch.h"

namespace capstan::testing::server {
namespace {

constexpr std::string_view kJsonPatch = "application/json-patch+json";
constexpr std::string_view kMergePatch = "application/merge-patch+json";
constexpr std::string_view kStrategicPatch = "application/strategic-merge-patch+json";

std::string SupportedPatches(bool custom) {
  std::string all(kJsonPatch);
  all.append(", ").append(kMergePatch);
  if (!custom) all.append(", ").append(kStrategicPatch);
  return all + ", application/apply-patch+yaml";
}

std::string CannotBe(const json::Value& body) {
  return std::string("json: cannot unmarshal ") + (body.IsArray()    ? "array"
                                                   : body.IsObject() ? "object"
                                                   : body.IsString() ? "string"
                                                   : body.IsNumber() ? "number"
                                                   : body.IsBool()   ? "bool"
                                                                     : "value");
}

// Returns the first element of a JSON patch that is not an operation, or null.
const json::Value* NoOperationIn(const json::Value& patch) {
  for (const json::Value& operation : patch.items()) {
    if (!operation.IsObject() && !operation.IsNull()) return &operation;
  }
  return nullptr;
}

}  // namespace

Result<ObjectPatch> ObjectPatch::Of(const ApiRequest& request, FieldValidation validation) {
  ObjectPatch patch;
  patch.validation_ = validation;
  patch.custom_ = request.resource->own_schema != nullptr;
  if (request.content_type == kJsonPatch) {
    patch.format_ = Format::kJson;
  } else if (request.content_type == kMergePatch) {
    patch.format_ = Format::kMerge;
  } else if (request.content_type == kStrategicPatch && !patch.custom_) {
    patch.format_ = Format::kStrategic;
  } else {
    return UnsupportedMediaTypeError(SupportedPatches(patch.custom_));
  }
  Result<json::Value> body = ParseBody(request.body, "application/json", patch.duplicates_);
  // With field validation, merge and JSON patches are decoded a second time by another reader,
  // which has this prefix.
  const bool validated = validation != FieldValidation::kIgnore;
  const std::string reader =
      validated && patch.format_ != Format::kStrategic ? "error decoding patch: " : "";
  // Such a merge patch is applied; its result is not an object.
  const bool is_list =
      body.ok() && !validated && patch.format_ == Format::kMerge && body->IsArray();
  if (!body.ok()) {
    patch.malformed_ = BadRequestError(!validated && patch.format_ == Format::kMerge
                                           ? "Invalid JSON Patch"
                                           : reader + body.status().message());
  } else if (!validated && patch.format_ == Format::kMerge && !body->IsObject() && !is_list) {
    patch.malformed_ = BadRequestError("Invalid JSON Patch");
  } else if (patch.format_ != Format::kJson && !body->IsObject() && !is_list) {
    patch.malformed_ = BadRequestError(reader + CannotBe(*body) +
                                       " into Go value of type map[string]interface {}");
  } else if (!validated && !body->IsArray() && !body->IsNull() && patch.format_ == Format::kJson) {
    patch.malformed_ = BadRequestError(CannotBe(*body) + " into Go value of type jsonpatch.Patch");
  } else if (const json::Value* odd = NoOperationIn(*body);
             odd && !validated && patch.format_ == Format::kJson) {
    patch.malformed_ =
        BadRequestError(CannotBe(*odd) + " into Go value of type jsonpatch.Operation");
  } else {
    patch.patch_ = *std::move(body);
  }
  return patch;
}

Result<json::Value> ObjectPatch::Patched(const json::Value& before, const ObjectType& type) const {
  switch (format_) {
    case Format::kJson:
      return ApplyJsonPatch(before, patch_);
    case Format::kMerge:
      return ApplyMergePatch(before, patch_);
    case Format::kStrategic:
      return ApplyStrategicMergePatch(before, patch_, type);
  }
  return before;
}

Status ObjectPatch::InvalidPatch(const json::Value& patched, const std::string& why) const {
  const std::string shown = format_ == Format::kStrategic ? GoText(patch_) : json::ToJson(patched);
  FieldErrors errors;
  errors.Invalid("patch", shown, why);
  return InvalidError("", "", "", errors);
}

Result<json::Value> ObjectPatch::Apply(const json::Value& before, const ObjectType& type,
                                       Warnings& warnings) const {
  if (!malformed_.ok()) return malformed_;
  Result<json::Value> patched = Patched(before, type);
  if (!patched.ok()) return patched.status();
  if (!patched->IsObject()) {
    return InvalidPatch(*patched,
                        "couldn't get version/kind; json parse error: " + CannotBe(*patched) +
                            " into Go value of type struct { APIVersion string "
                            "\"json:\\\"apiVersion,omitempty\\\"\"; Kind string "
                            "\"json:\\\"kind,omitempty\\\"\" }");
  }
  if (custom_ && patched->Get("kind").IsEmpty()) {
    return InvalidPatch(*patched, "Object 'Kind' is missing in '" + json::ToJson(*patched) + "'");
  }
  for (const std::string_view field : {"apiVersion", "kind"}) {
    if (patched->Get(field) == before.Get(field)) continue;
    if (format_ != Format::kStrategic && !custom_ && !patched->Get(field).IsNull()) {
      return InvalidPatch(*patched, "no kind " + Quoted(patched->Get("kind").AsString()) +
                                        " is registered for version " +
                                        Quoted(patched->Get("apiVersion").AsString()) +
                                        " in scheme \"pkg/api/legacyscheme/scheme.go:30\"");
    }
    if (!custom_ || patched->Get(field).IsNull()) patched->Set(field, before.Get(field));
  }
  const json::Value shown = *patched;
  Result<Decoded> decoded = Conform(*std::move(patched), type, validation_, duplicates_);
  if (!decoded.ok()) {
    std::string why = decoded.status().message();
    if (format_ == Format::kStrategic && why.starts_with("illegal base64")) {
      why.insert(0, "error decoding from json: ");
    }
    return InvalidPatch(shown, format_ == Format::kStrategic ? StrategicPatchTypeError(why) : why);
  }
  warnings.Add(std::move(decoded->warnings));
  return std::move(decoded->object);
}

}  // namespace capstan::testing::server
