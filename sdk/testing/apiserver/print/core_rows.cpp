// Rows of core kinds, Leases and certificate requests, and plain rows.

#include <algorithm>
#include <chrono>
#include <string>

#include <capstan/runtime/format.h>

#include "apiserver/print/human_duration.h"
#include "apiserver/print/rows.h"
#include "base/text/joined.h"

namespace capstan::testing::server {
namespace {

bool HasConditionOf(const json::Value& object, std::string_view type) {
  const auto& conditions = object.Get("status", "conditions").items();
  return std::any_of(conditions.begin(), conditions.end(), [type](const json::Value& condition) {
    return condition.Get("type").AsString() == type;
  });
}

std::string RequestCondition(const json::Value& request) {
  std::string text = "Pending";
  if (HasConditionOf(request, "Denied")) {
    text = "Denied";
  } else if (HasConditionOf(request, "Approved")) {
    text = "Approved";
  }
  if (HasConditionOf(request, "Failed")) text += ",Failed";
  if (!request.Get("status", "certificate").IsEmpty()) text += ",Issued";
  return text;
}

std::string AccessModes(const json::Value& modes) {
  constexpr std::pair<std::string_view, std::string_view> kShort[] = {{"ReadWriteOnce", "RWO"},
                                                                      {"ReadOnlyMany", "ROX"},
                                                                      {"ReadWriteMany", "RWX"},
                                                                      {"ReadWriteOncePod", "RWOP"}};
  std::vector<std::string> texts;
  const auto& all = modes.items();
  for (const auto& [mode, text] : kShort) {
    if (std::find(all.begin(), all.end(), json::Value(mode)) != all.end()) texts.emplace_back(text);
  }
  return text::Joined(texts);
}

}  // namespace

TableRow PrintPlainly(const json::Value& object, WallTime /*now*/) {
  return {{NameOf(object), object.Get("metadata", "creationTimestamp")}};
}

TableRow PrintNamespace(const json::Value& object, WallTime now) {
  return {{NameOf(object), object.Get("status", "phase").AsString(), AgeOfObject(object, now)}};
}

TableRow PrintConfigMap(const json::Value& object, WallTime now) {
  const size_t size =
      object.Get("data").members().size() + object.Get("binaryData").members().size();
  return {{NameOf(object), static_cast<int64_t>(size), AgeOfObject(object, now)}};
}

TableRow PrintSecret(const json::Value& object, WallTime now) {
  return {{NameOf(object), object.Get("type").AsString(),
           static_cast<int64_t>(object.Get("data").members().size()), AgeOfObject(object, now)}};
}

TableRow PrintServiceAccount(const json::Value& object, WallTime now) {
  return {{NameOf(object), AgeOfObject(object, now)}};
}

TableRow PrintLease(const json::Value& object, WallTime now) {
  return {
      {NameOf(object), object.Get("spec", "holderIdentity").AsString(), AgeOfObject(object, now)}};
}

TableRow PrintResourceQuota(const json::Value& object, WallTime now) {
  std::string requests;
  std::string limits;
  for (const json::Member& hard : object.Get("status", "hard").members()) {
    const json::Value& used = object.Get("status", "used").Get(hard.key);
    std::string& cell = hard.key.starts_with("limits.") ? limits : requests;
    if (!cell.empty()) cell += ", ";
    cell += hard.key + ": " + (used.IsNull() ? "0" : used.AsString()) + "/" + hard.value.AsString();
  }
  return {{NameOf(object), std::move(requests), std::move(limits), AgeOfObject(object, now)}};
}

TableRow PrintVolumeClaim(const json::Value& object, WallTime now) {
  const json::Value& spec = object.Get("spec");
  const json::Value& status = object.Get("status");
  const bool going = !object.Get("metadata", "deletionTimestamp").IsNull();
  const bool bound = !spec.Get("volumeName").IsEmpty();
  const json::Value& annotation =
      object.Get("metadata", "annotations").Get("volume.beta.kubernetes.io/storage-class");
  return {{NameOf(object), going ? "Terminating" : status.Get("phase").AsString(),
           spec.Get("volumeName").AsString(),
           bound ? Or(status.Get("capacity", "storage"), "0") : json::Value(""),
           bound ? AccessModes(status.Get("accessModes")) : "",
           annotation.IsNull() ? spec.Get("storageClassName").AsString() : annotation.AsString(),
           Or(spec.Get("volumeAttributesClassName"), "<unset>"), AgeOfObject(object, now),
           Or(spec.Get("volumeMode"), "<unset>")}};
}

TableRow PrintCertificateRequest(const json::Value& object, WallTime now) {
  const json::Value& spec = object.Get("spec");
  const json::Value& life = spec.Get("expirationSeconds");
  return {{NameOf(object), AgeOfObject(object, now), Or(spec.Get("signerName"), "<none>"),
           spec.Get("username").AsString(),
           life.IsNull() ? "<none>" : HumanDuration(std::chrono::seconds(life.AsInteger())),
           RequestCondition(object)}};
}

}  // namespace capstan::testing::server
