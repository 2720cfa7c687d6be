#include "apiserver/storage/system_fields.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include <capstan/api/time.h>

#include "apiserver/http/api_errors.h"
#include "apiserver/validation/field_error.h"
#include "base/text/hex.h"

namespace capstan::testing::server {
namespace {

constexpr size_t kLongestPrefix = 58;
constexpr size_t kRandomCharacters = 5;
constexpr std::string_view kNameAlphabet = "bcdfghjklmnpqrstvwxz2456789";

// Restores the member from `before`.
void Keep(json::Value& object, const json::Value& before, std::string_view field) {
  const json::Value& old = before.Get("metadata", field);
  if (object.Get("metadata", field) == old) return;
  if (old.IsNull()) {
    object.Mutable("metadata").Erase(field);
  } else {
    object.Mutable("metadata", field) = old;
  }
}

// A list with one empty entry requests the removal of all ownership.
bool AsksToForgetOwnership(const json::Value& managed) {
  return managed.items().size() == 1 && managed.items().front().IsEmpty();
}

}  // namespace

std::string TimeText(WallTime time) {
  std::string text;
  api::AppendText(text, api::Time(time));
  return text;
}

std::optional<WallTime> TimeOf(const json::Value& value) {
  if (!value.IsString()) return std::nullopt;
  const Result<api::Time> time = api::Time::Parse(value.AsString());
  if (!time.ok() || time->IsZero()) return std::nullopt;
  return time->ToWallTime();
}

std::string NewUid(Runtime& runtime) {
  const uint64_t high = runtime.Random();
  const uint64_t low = runtime.Random();
  std::string uid;
  uid.reserve(36);
  text::AppendHex(uid, high >> 32, 8);
  uid += '-';
  text::AppendHex(uid, high >> 16, 4);
  uid += "-4";
  text::AppendHex(uid, high, 3);
  uid += '-';
  text::AppendHex(uid, ((low >> 48) & 0x3fff) | 0x8000, 4);
  uid += '-';
  text::AppendHex(uid, low, 12);
  return uid;
}

std::string GeneratedName(std::string_view prefix, Runtime& runtime) {
  std::string name(prefix.substr(0, kLongestPrefix));
  uint64_t random = runtime.Random();
  for (size_t i = 0; i < kRandomCharacters; ++i) {
    name += kNameAlphabet[random % kNameAlphabet.size()];
    random /= kNameAlphabet.size();
  }
  return name;
}

void WipeSystemFields(json::Value& object) {
  json::Value& metadata = object.Mutable("metadata");
  for (const std::string_view field : {"creationTimestamp", "deletionGracePeriodSeconds",
                                       "deletionTimestamp", "managedFields", "selfLink", "uid"}) {
    metadata.Erase(field);
  }
}

void FillSystemFields(json::Value& object, Runtime& runtime) {
  json::Value& metadata = object.Mutable("metadata");
  metadata.Set("creationTimestamp", TimeText(runtime.clock().Now()));
  metadata.Set("uid", NewUid(runtime));
}

void KeepSystemFields(json::Value& object, const json::Value& before) {
  if (object.Get("metadata", "uid").AsString().empty()) Keep(object, before, "uid");
  Keep(object, before, "creationTimestamp");
  if (IsBeingDeleted(before)) Keep(object, before, "deletionTimestamp");
  if (object.Get("metadata", "deletionGracePeriodSeconds").IsNull()) {
    Keep(object, before, "deletionGracePeriodSeconds");
  }
  if (object.Get("metadata").Find("selfLink")) object.Mutable("metadata").Erase("selfLink");
  const json::Value& managed = object.Get("metadata", "managedFields");
  if (AsksToForgetOwnership(managed)) {
    object.Mutable("metadata").Erase("managedFields");
  } else if (managed.items().empty()) {
    Keep(object, before, "managedFields");
  }
}

Status EnsureNamespace(json::Value& object, std::string_view namespace_) {
  const std::string& present = object.Get("metadata", "namespace").AsString();
  if (present == namespace_) return Status::Ok();
  if (namespace_.empty()) {
    object.Mutable("metadata").Erase("namespace");
  } else if (present.empty()) {
    object.Mutable("metadata", "namespace") = namespace_;
  } else {
    return BadRequestError(
        "the namespace of the provided object does not match the namespace sent on the request");
  }
  return Status::Ok();
}

Status CheckName(const json::Value& object, std::string_view namespace_, std::string_view name) {
  const std::string& present = object.Get("metadata", "name").AsString();
  const std::string wanted(name);
  if (present.empty()) {
    return BadRequestError("the name of the object (" + wanted +
                           " based on URL) was undeterminable: name must be provided");
  }
  if (present != name) {
    return BadRequestError("the name of the object (" + present +
                           ") does not match the name on the URL (" + wanted + ")");
  }
  const std::string& place = object.Get("metadata", "namespace").AsString();
  if (!namespace_.empty() && !place.empty() && place != namespace_) {
    return BadRequestError("the namespace of the object (" + place +
                           ") does not match the namespace on the request (" +
                           std::string(namespace_) + ")");
  }
  return Status::Ok();
}

void DropRepeatedOwners(json::Value& object, bool after_admission, Warnings& warnings) {
  const json::Value& owners = object.Get("metadata", "ownerReferences");
  if (owners.items().size() < 2) return;
  json::Value::Items kept;
  std::set<std::string> seen;
  std::string repeated;
  for (const json::Value& owner : owners.items()) {
    if (seen.insert(json::ToJson(owner)).second) {
      kept.push_back(owner);
      continue;
    }
    if (!repeated.empty()) repeated += ", ";
    repeated += owner.Get("uid").AsString();
  }
  if (repeated.empty()) return;
  object.Mutable("metadata", "ownerReferences") = json::Value::Array(std::move(kept));
  warnings.Add(std::string(".metadata.ownerReferences contains duplicate entries") +
               (after_admission ? " after mutating admission happens" : "") +
               "; API server dedups owner references in 1.20+, and may reject such requests "
               "as early as 1.24; please fix your requests; duplicate UID(s) observed: " +
               repeated);
}

bool HasFinalizer(const json::Value& object, std::string_view finalizer) {
  for (const json::Value& one : object.Get("metadata", "finalizers").items()) {
    if (one.AsString() == finalizer) return true;
  }
  return false;
}

bool EraseFinalizer(json::Value& object, std::string_view finalizer) {
  if (!HasFinalizer(object, finalizer)) return false;
  json::Value& metadata = object.Mutable("metadata");
  json::Value::Items& finalizers = metadata.Mutable("finalizers").MutableItems();
  std::erase_if(finalizers,
                [finalizer](const json::Value& one) { return one.AsString() == finalizer; });
  if (finalizers.empty()) metadata.Erase("finalizers");
  return true;
}

bool IsBeingDeleted(const json::Value& object) {
  return !object.Get("metadata", "deletionTimestamp").IsNull();
}

Result<uint64_t> VersionOf(const json::Value& object) {
  const std::string& text = object.Get("metadata", "resourceVersion").AsString();
  if (text.empty()) return uint64_t{0};
  uint64_t version = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, version);
  if (error == std::errc() && stop == end) return version;
  Status::Details details;
  details.http_code = 500;
  details.message =
      "strconv.ParseUint: parsing " + Quoted(text) +
      (error == std::errc::result_out_of_range ? ": value out of range" : ": invalid syntax");
  return Status(std::move(details));
}

}  // namespace capstan::testing::server
