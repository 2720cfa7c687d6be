// Calls of subresources: status, approval, scale, binding and eviction.

#include <utility>

#include "call_generator.h"
#include "call_text.h"
#include "malformed.h"

namespace capstan::differential {

Call CallGenerator::Status() {
  Place place = RandomPlace();
  while (!place.kind->status && !dice_.Percent(5)) place = RandomPlace();
  const bool approval = !place.kind->approvals.IsNull() && dice_.Percent(60);
  const std::string subresource = approval ? "approval" : "status";
  const bool patch = dice_.Percent(70);
  Call call = CallOf(place, Call::Effect::kWrite, patch ? "PATCH" : "PUT", subresource);
  AddParameter(call.target, WriteOptions());
  const std::string status = SampleStatus(*place.kind, subresource, dice_);
  if (patch) {
    call.content_type =
        dice_.Of({"application/merge-patch+json", "application/strategic-merge-patch+json"});
    call.body =
        R"({"status":)" + status +
        dice_.Of({"}", "}", R"(,"spec":{"replicas":9}})", R"(,"metadata":{"labels":{"s":"1"}}})",
                  R"(,"metadata":{"annotations":{"s":"1"}}})"});
    return call;
  }
  call.content_type = kJson;
  call.body_of = call.object;
  call.edit = json::Value::Object();
  call.edit.Set("status", Parsed(status));
  if (dice_.Percent(20)) call.edit.Mutable("spec").Set("paused", true);
  return call;
}

Call CallGenerator::Scale() {
  Place place = RandomPlace();
  while (!place.kind->scale && !dice_.Percent(3)) place = RandomPlace();
  const bool patch = dice_.Percent(60);
  Call call = CallOf(place, Call::Effect::kWrite, patch ? "PATCH" : "PUT", "scale");
  AddParameter(call.target, WriteOptions());
  if (patch) {
    call.content_type = "application/merge-patch+json";
    call.body = dice_.Of({R"({"spec":{"replicas":2}})", R"({"spec":{"replicas":-1}})",
                          R"({"spec":{"replicas":"x"}})", R"({"spec":{"replicas":null}})",
                          R"({"spec":{"bogus":1}})", R"({"status":{"replicas":5}})", "{}"});
    return call;
  }
  json::Value scale =
      Parsed(R"({"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":")" + place.name +
             R"("},"spec":{"replicas":)" + dice_.Of({"0", "4", "-2"}) + "}}");
  if (place.kind->namespaced) scale.Mutable("metadata").Set("namespace", place.namespace_);
  if (dice_.Percent(40)) {
    scale.Mutable("metadata")
        .Set("resourceVersion", Placeholder(dice_.Of({"rv", "old"}), call.object));
  }
  if (dice_.Percent(20)) scale = Malformed(std::move(scale), dice_);
  SetBody(call, scale);
  return call;
}

Call CallGenerator::PodSubresource() {
  Place place = RandomPlace();
  while (place.kind->resource != "pods") place = RandomPlace();
  const bool binding = dice_.Percent(60);
  Call call = CallOf(place, Call::Effect::kWrite, "POST", binding ? "binding" : "eviction");
  json::Value object =
      binding
          ? Parsed(R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":")" + place.name +
                   R"("},"target":{"kind":"Node","name":")" + dice_.Of({"alpha", "beta"}) + "\"}}")
          : Parsed(R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":")" +
                   place.name + "\"}}");
  if (dice_.Percent(25)) object = Malformed(std::move(object), dice_);
  AddParameter(call.target, WriteOptions());
  SetBody(call, object);
  return call;
}

}  // namespace capstan::differential
