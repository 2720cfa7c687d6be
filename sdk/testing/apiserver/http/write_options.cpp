#include "apiserver/http/write_options.h"

#include <charconv>
#include <utility>

#include "apiserver/http/api_errors.h"
#include "base/json/json_text.h"

namespace capstan::testing::server {
namespace {

constexpr std::string_view kOptionsGroup = "meta.k8s.io";
constexpr int64_t kLongestFieldManager = 128;

// Reads dryRun. "All" is the only valid value.
bool ReadDryRun(const std::vector<std::string_view>& values, FieldErrors& errors) {
  bool known = true;
  for (const std::string_view value : values) known = known && value == "All";
  if (known) return !values.empty();
  json::Value list = json::Value::Array();
  for (const std::string_view value : values) list.Append(value);
  errors.NotSupported("dryRun", list, {"All"});
  return false;
}

FieldValidation ReadFieldValidation(std::string_view text, FieldErrors& errors) {
  if (text == "Ignore") return FieldValidation::kIgnore;
  if (text == "Strict") return FieldValidation::kStrict;
  if (!text.empty() && text != "Warn") {
    errors.NotSupported("fieldValidation", text, {"", "Ignore", "Strict", "Warn"});
  }
  return FieldValidation::kWarn;
}

void CheckFieldManager(const std::string& manager, FieldErrors& errors) {
  if (manager.size() > kLongestFieldManager) errors.TooLong("fieldManager", kLongestFieldManager);
  for (size_t i = 0; i < manager.size(); ++i) {
    const auto byte = static_cast<unsigned char>(manager[i]);
    if (byte >= 0x20 && byte != 0x7f) continue;
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string code = "U+00";
    code += kDigits[byte >> 4];
    code += kDigits[byte & 15];
    errors.Invalid("fieldManager", manager,
                   "invalid character " + code + " (at position " + std::to_string(i) + ")");
  }
}

// Parses seconds. Errors have the texts of Go's ParseInt.
Result<int64_t> ReadSeconds(std::string_view text) {
  int64_t seconds = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, seconds);
  if (error == std::errc() && stop == end) return seconds;
  return BadRequestError(
      "strconv.ParseInt: parsing " + Quoted(text) +
      (error == std::errc::result_out_of_range ? ": value out of range" : ": invalid syntax"));
}

Status CheckDeleteOptions(const DeleteOptions& options, FieldErrors& errors) {
  const std::optional<std::string>& policy = options.propagation_policy;
  if (policy && options.orphan_dependents) {
    errors.Invalid("propagationPolicy", *policy,
                   "orphanDependents and deletionPropagation cannot be both set");
  }
  if (policy && *policy != "Foreground" && *policy != "Background" && *policy != "Orphan") {
    errors.NotSupported("propagationPolicy", *policy,
                        {"Foreground", "Background", "Orphan", "nil"});
  }
  if (errors.empty()) return Status::Ok();
  return InvalidError(kOptionsGroup, "DeleteOptions", "", errors);
}

Result<DeleteOptions> DeleteOptionsOfQuery(const Query& query) {
  DeleteOptions options;
  if (query.Has("gracePeriodSeconds")) {
    const std::string_view text = query.Get("gracePeriodSeconds");
    const Result<int64_t> seconds = text.empty() ? Result<int64_t>(0) : ReadSeconds(text);
    if (!seconds.ok()) return seconds.status();
    options.grace_period_seconds = *seconds;
  }
  if (query.Has("orphanDependents")) options.orphan_dependents = query.GetBool("orphanDependents");
  if (query.Has("propagationPolicy")) {
    options.propagation_policy = std::string(query.Get("propagationPolicy"));
  }
  FieldErrors errors;
  options.dry_run = ReadDryRun(query.All("dryRun"), errors);
  if (Status status = CheckDeleteOptions(options, errors); !status.ok()) return status;
  return options;
}

}  // namespace

Result<WriteOptions> ReadWriteOptions(const ApiRequest& request, std::string_view kind) {
  WriteOptions options;
  options.field_manager = std::string(request.query.Get("fieldManager"));
  options.force = request.query.GetBool("force");
  FieldErrors errors;
  if (request.verb == "apply") {
    if (options.field_manager.empty()) {
      errors.Required("fieldManager", "is required for apply patch");
    }
  } else if (request.verb == "patch" && request.query.Has("force")) {
    errors.Forbidden("force", "may not be specified for non-apply patch");
  }
  CheckFieldManager(options.field_manager, errors);
  options.dry_run = ReadDryRun(request.query.All("dryRun"), errors);
  options.validation = ReadFieldValidation(request.query.Get("fieldValidation"), errors);
  if (!errors.empty()) return InvalidError(kOptionsGroup, kind, "", errors);
  return options;
}

Result<DeleteOptions> DeleteOptionsOf(const json::Value& object) {
  DeleteOptions options;
  const json::Value& period = object.Get("gracePeriodSeconds");
  if (period.IsInteger()) options.grace_period_seconds = period.AsInteger();
  const json::Value& orphan = object.Get("orphanDependents");
  if (orphan.IsBool()) options.orphan_dependents = orphan.AsBool();
  const json::Value& policy = object.Get("propagationPolicy");
  if (policy.IsString()) options.propagation_policy = policy.AsString();
  const json::Value& uid = object.Get("preconditions", "uid");
  if (uid.IsString()) options.preconditions.uid = uid.AsString();
  const json::Value& version = object.Get("preconditions", "resourceVersion");
  if (version.IsString()) options.preconditions.resource_version = version.AsString();
  std::vector<std::string_view> dry_run;
  for (const json::Value& value : object.Get("dryRun").items()) dry_run.push_back(value.AsString());
  FieldErrors errors;
  options.dry_run = ReadDryRun(dry_run, errors);
  if (Status status = CheckDeleteOptions(options, errors); !status.ok()) return status;
  return options;
}

Result<DeleteOptions> ReadDeleteOptions(const ApiRequest& request) {
  if (request.body.empty()) return DeleteOptionsOfQuery(request.query);
  std::vector<std::string> duplicates;
  Result<json::Value> body = ParseBody(request.body, request.content_type, duplicates);
  if (!body.ok()) {
    return BadRequestError("couldn't get version/kind; json parse error: " +
                           body.status().message());
  }
  const std::string& kind = body->Get("kind").AsString();
  if (body->IsNull()) *body = json::Value::Object();
  if (!body->IsObject() || (!kind.empty() && kind != "DeleteOptions")) {
    const std::string& version = body->Get("apiVersion").AsString();
    return BadRequestError("no kind " + Quoted(kind) + " is registered for version " +
                           Quoted(version.empty() ? "meta.k8s.io/v1" : version) +
                           " in scheme \"pkg/runtime/scheme.go:110\"");
  }
  Result<Decoded> decoded = Conform(
      *std::move(body), *SchemaSet::BuiltIn().Find("v1.DeleteOptions"), FieldValidation::kIgnore);
  if (!decoded.ok()) return decoded.status();
  return DeleteOptionsOf(decoded->object);
}

}  // namespace capstan::testing::server
