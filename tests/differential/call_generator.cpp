#include "call_generator.h"

#include <utility>

#include "call_text.h"
#include "malformed.h"

namespace capstan::differential {
namespace {

constexpr char kTable[] = "application/json;as=Table;g=meta.k8s.io;v=v1";

}  // namespace

CallGenerator::Place CallGenerator::RandomPlace() {
  int total = 0;
  for (const SampleKind& kind : SampleKinds()) total += kind.weight;
  int drawn = static_cast<int>(dice_.Below(static_cast<size_t>(total)));
  Place place;
  for (const SampleKind& kind : SampleKinds()) {
    drawn -= kind.weight;
    if (drawn < 0) {
      place.kind = &kind;
      break;
    }
  }
  place.name = dice_.Of({"alpha", "alpha", "alpha", "beta", "gamma"});
  if (place.kind->resource == "namespaces") place.name = "diff-" + place.name;
  place.collection_path = place.kind->Root();
  if (place.kind->namespaced) {
    place.namespace_ = dice_.Of({"diff-a", "diff-a", "diff-a", "diff-b"});
    if (!place.kind->only_namespace.empty()) place.namespace_ = place.kind->only_namespace;
    if (dice_.Percent(3)) place.namespace_ = "diff-none";
    place.collection_path += "/namespaces/" + place.namespace_;
  }
  place.collection_path += "/" + place.kind->resource;
  return place;
}

Call CallGenerator::CallOf(const Place& place, Call::Effect effect, std::string method,
                           std::string subresource, bool about_one) {
  Call call;
  call.effect = effect;
  call.collection = place.kind->resource + "/" + place.namespace_;
  if (place.kind->api_version == "events.k8s.io/v1") call.collection = "events/" + place.namespace_;
  if (about_one) call.object = call.collection + "/" + place.name;
  call.target = about_one && method != "POST" ? place.ObjectPath() : place.collection_path;
  if (!subresource.empty()) {
    if (method == "POST") call.target = place.ObjectPath();
    call.target += "/" + subresource;
  }
  call.title = method + " " + place.kind->resource;
  if (place.kind->api_version == "events.k8s.io/v1") call.title += ".events.k8s.io";
  if (!subresource.empty()) call.title += "/" + subresource;
  call.method = std::move(method);
  return call;
}

std::string CallGenerator::WriteOptions() {
  std::string options;
  const auto add = [&](const std::string& option) {
    options += options.empty() ? option : "&" + option;
  };
  if (dice_.Percent(35)) {
    add("fieldValidation=" + dice_.Of({"Strict", "Strict", "Warn", "Ignore", "Other"}));
  }
  if (dice_.Percent(8)) add("dryRun=" + dice_.Of({"All", "All", "All", "Some"}));
  if (dice_.Percent(5))
    add("fieldManager=" + dice_.Of({"me", "you", "%07", std::string(130, 'm')}));
  if (dice_.Percent(2)) add(dice_.Of({"pretty=true", "unknown=1", "dryRun", "timeout=5s"}));
  return options;
}

void CallGenerator::SetBody(Call& call, const json::Value& object) {
  call.content_type = kJson;
  call.body = json::ToJson(object);
  // The servers would generate different names, which later calls could not refer to.
  if (call.body.find("\"generateName\"") != std::string::npos) {
    AddParameter(call.target, "dryRun=All");
  }
  if (dice_.Percent(3)) call.body = MalformedText(std::move(call.body), dice_);
  if (dice_.Percent(1)) call.content_type = dice_.Of({"", "text/plain", "application/xml"});
}

Call CallGenerator::Create() {
  const Place place = RandomPlace();
  Call call = CallOf(place, Call::Effect::kWrite, "POST");
  AddParameter(call.target, WriteOptions());
  json::Value object = SampleObject(*place.kind, place.name, dice_);
  if (dice_.Percent(35)) object = Malformed(std::move(object), dice_);
  SetBody(call, object);
  return call;
}

Call CallGenerator::Update() {
  const Place place = RandomPlace();
  Call call = CallOf(place, Call::Effect::kWrite, "PUT");
  AddParameter(call.target, WriteOptions());
  if (dice_.Percent(50)) {
    call.content_type = kJson;
    call.body_of = call.object;
    const std::string edit = SamplePatch(*place.kind, call.object, dice_);
    if (auto parsed = json::ParseValue(edit); parsed.ok()) call.edit = std::move(parsed->value);
    if (!call.edit.IsObject()) call.edit = json::Value::Object();
    return call;
  }
  json::Value object = SampleObject(*place.kind, place.name, dice_);
  if (dice_.Percent(50)) {
    object.Mutable("metadata")
        .Set("resourceVersion", Placeholder(dice_.Of({"rv", "rv", "old"}), call.object));
  }
  if (dice_.Percent(10)) object.Mutable("metadata").Set("uid", Placeholder("uid", call.object));
  if (dice_.Percent(25)) object = Malformed(std::move(object), dice_);
  SetBody(call, object);
  return call;
}

Call CallGenerator::Patch() {
  const Place place = RandomPlace();
  Call call = CallOf(place, Call::Effect::kWrite, "PATCH");
  AddParameter(call.target, WriteOptions());
  if (dice_.Percent(25)) {
    call.content_type = "application/json-patch+json";
    call.body = SampleJsonPatch(*place.kind, dice_);
    return call;
  }
  call.content_type = dice_.Of({"application/merge-patch+json", "application/merge-patch+json",
                                "application/strategic-merge-patch+json",
                                "application/strategic-merge-patch+json"});
  if (dice_.Percent(2)) call.content_type = dice_.Of({kJson, "", "application/x-patch"});
  call.body = SamplePatch(*place.kind, call.object, dice_);
  return call;
}

Call CallGenerator::Apply() {
  const Place place = RandomPlace();
  Call call = CallOf(place, Call::Effect::kWrite, "PATCH");
  call.title = "APPLY " + place.kind->resource;
  call.content_type = "application/apply-patch+yaml";
  if (!dice_.Percent(4)) AddParameter(call.target, "fieldManager=" + dice_.Of({"one", "two"}));
  if (dice_.Percent(30)) AddParameter(call.target, "force=true");
  if (dice_.Percent(15)) AddParameter(call.target, WriteOptions());
  json::Value object = SampleObject(*place.kind, place.name, dice_);
  if (dice_.Percent(60)) object.Mutable("metadata").Erase("finalizers");
  if (dice_.Percent(15)) object.Set("spec", Parsed(R"({})"));
  if (dice_.Percent(25)) object = Malformed(std::move(object), dice_);
  call.body = json::ToJson(object);
  if (dice_.Percent(3)) call.body = MalformedText(std::move(call.body), dice_);
  return call;
}

Call CallGenerator::Delete() {
  const Place place = RandomPlace();
  Call call = CallOf(place, Call::Effect::kWrite, "DELETE");
  if (dice_.Percent(10)) AddParameter(call.target, "dryRun=All");
  if (dice_.Percent(15)) {
    AddParameter(call.target, dice_.Of({"gracePeriodSeconds=0", "gracePeriodSeconds=5",
                                        "gracePeriodSeconds=-1", "gracePeriodSeconds=x"}));
  }
  if (dice_.Percent(20)) {
    AddParameter(call.target,
                 "propagationPolicy=" + dice_.Of({"Background", "Foreground", "Orphan", "Other"}));
  }
  if (dice_.Percent(30)) {
    call.content_type = kJson;
    const std::string start = R"({"kind":"DeleteOptions","apiVersion":"v1",)";
    call.body = dice_.Of(
        {start + R"("gracePeriodSeconds":0})", start + R"("propagationPolicy":"Background"})",
         start + R"("preconditions":{"uid":")" + Placeholder("uid", call.object) + R"("}})",
         start + R"("preconditions":{"uid":"00000000-0000-0000-0000-000000000000"}})",
         start + R"("preconditions":{"resourceVersion":")" + Placeholder("rv", call.object) +
             R"("}})",
         start + R"("preconditions":{"resourceVersion":")" + Placeholder("old", call.object) +
             R"("}})",
         start + R"("orphanDependents":true,"propagationPolicy":"Orphan"})",
         start + R"("gracePeriodSeconds":"x"})", start + R"("bogus":1})", "{}", "[", "null",
         R"({"kind":"Pod","apiVersion":"v1"})", start + R"("dryRun":["All"]})",
         start + R"("dryRun":["Some"]})"});
  }
  return call;
}

Call CallGenerator::DeleteCollection() {
  const Place place = RandomPlace();
  Call call = CallOf(place, Call::Effect::kWrite, "DELETE", "", false);
  call.title = "DELETE COLLECTION " + place.kind->resource;
  // namespaces do not support this verb
  if (place.kind->resource == "namespaces") call.method = "GET";
  AddParameter(call.target, place.kind->namespaced && dice_.Percent(30) ? "" : Selector());
  if (dice_.Percent(15)) AddParameter(call.target, "dryRun=All");
  if (dice_.Percent(20)) AddParameter(call.target, "gracePeriodSeconds=0");
  if (!place.kind->namespaced && call.target.find("elector=") == std::string::npos) {
    AddParameter(call.target, "labelSelector=app%3Dweb");
  }
  return call;
}

std::string CallGenerator::Selector() {
  if (dice_.Percent(70)) {
    return "labelSelector=" + dice_.Of({"app%3Dweb",
                                        "app%3D%3Ddb",
                                        "app!%3Dweb",
                                        "app+in+(web,db)",
                                        "app+notin+(web)",
                                        "tier",
                                        "!tier",
                                        "app%3Dweb,tier%3Dfront",
                                        "tier%3D",
                                        "app%3E1",
                                        "app+in+()",
                                        "app+in",
                                        "%3Dx",
                                        "a+b",
                                        "app%3D%3D%3Dx",
                                        "app%3Da%20b",
                                        "(",
                                        ",",
                                        "app%3Dweb,",
                                        "A..b%2Fc%3D1"});
  }
  return "fieldSelector=" +
         dice_.Of({"metadata.name%3Dalpha", "metadata.name!%3Dalpha", "metadata.namespace%3Ddiff-a",
                   "status.phase%3DPending", "spec.nodeName%3D", "spec.unschedulable%3Dtrue",
                   "type%3DOpaque", "reason%3DTest", "involvedObject.kind%3DPod",
                   "spec.replicas%3D1", "bogus%3Dx", "metadata.name",
                   "metadata.name%3Dalpha,metadata.name%3Dbeta", "metadata.name%3E1",
                   "status.replicas%3D0", "metadata.name%3D%3Dbeta"});
}

std::string CallGenerator::TableOption() {
  return "includeObject=" + dice_.Of({"None", "Object", "Metadata", "Other"});
}

Call CallGenerator::Get() {
  const Place place = RandomPlace();
  std::string subresource;
  if (place.kind->status && dice_.Percent(10)) subresource = "status";
  if (place.kind->scale && dice_.Percent(10)) subresource = "scale";
  if (!place.kind->approvals.IsNull() && dice_.Percent(5)) subresource = "approval";
  if (dice_.Percent(2)) subresource = dice_.Of({"status", "scale", "nope", "log/x"});
  Call call = CallOf(place, Call::Effect::kRead, "GET", subresource);
  if (dice_.Percent(15)) {
    AddParameter(call.target, "resourceVersion=" +
                                  dice_.Of({"0", "1", "0", "abc", "1", "0", "999999999999", "-1"}));
  }
  if (dice_.Percent(4)) {
    call.accept = dice_.Of({"application/xml", "text/html", "*/*",
                            "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"});
  } else if (dice_.Percent(25)) {
    call.accept = kTable;
    if (dice_.Percent(20)) AddParameter(call.target, TableOption());
  }
  return call;
}

Call CallGenerator::List() {
  Place place = RandomPlace();
  Call call = CallOf(place, Call::Effect::kRead, "GET", "", false);
  call.title = "LIST " + place.kind->resource;
  if (place.kind->namespaced && dice_.Percent(10)) {
    // A request for all namespaces.
    call.target = place.kind->Root() + "/" + place.kind->resource;
    AddParameter(call.target, "labelSelector=app+in+(web,db)");
    call.collection = place.kind->resource + "/";
  } else if (place.kind->resource == "namespaces") {
    AddParameter(call.target, "labelSelector=app+in+(web,db)");
  } else if (dice_.Percent(40)) {
    AddParameter(call.target, Selector());
  }
  if (dice_.Percent(30)) {
    AddParameter(call.target, "limit=" + dice_.Of({"1", "2", "500", "0", "-1", "x"}));
    if (dice_.Percent(50)) {
      AddParameter(call.target, "continue=" + (dice_.Percent(85)
                                                   ? Placeholder("continue", call.collection)
                                                   : dice_.Of({"abc", "e30", "eyJ2IjoibWV0YSJ9"})));
    }
  }
  if (dice_.Percent(20)) {
    AddParameter(call.target,
                 "resourceVersion=" + dice_.Of({"0", "abc", "0", "", "0", "999999999999",
                                                Placeholder("list", call.collection)}));
  }
  if (dice_.Percent(12)) {
    AddParameter(call.target,
                 "resourceVersionMatch=" + dice_.Of({"Exact", "NotOlderThan", "Other"}));
  }
  if (dice_.Percent(2)) {
    call.accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
  } else if (dice_.Percent(35)) {
    call.accept = kTable;
    if (dice_.Percent(20)) AddParameter(call.target, TableOption());
  }
  return call;
}

Call CallGenerator::Odd() {
  const Place place = RandomPlace();
  Call call = CallOf(place, Call::Effect::kWrite, "GET");
  switch (dice_.Below(6)) {
    case 0:
      call.method = dice_.Of({"POST", "PUT", "OPTIONS", "TRACE", "FOO"});
      if (call.method == "PUT") call.target = place.collection_path;
      call.content_type = kJson;
      call.body = "{}";
      break;
    case 1:
      call.method = "PATCH";
      call.target = place.collection_path;
      call.content_type = "application/merge-patch+json";
      call.body = "{}";
      break;
    case 2:
      call.target =
          dice_.Of({"/api/v2", "/api/v1/nope", "/apis/nope/v1", "/apis/apps/v2/deployments",
                    "/api/v1/namespaces/diff-a/nope/x", "/nope", "/api/v1/pods/x",
                    "/apis/apps/v1/namespaces/diff-a/deployments/alpha/nope",
                    "/apis/diff.capstan.dev/v2/widgets", "/api/v1/nodes/alpha/beta/gamma",
                    "/apis/apps/v1/namespaces/diff-a", "/api/v1/namespaces/diff-a/nodes"});
      break;
    case 3:
      // Invalid object names.
      call.target =
          place.collection_path + "/" + dice_.Of({"A_B", "a%20b", "%2e%2e", "x%2Fy", "%zz"});
      break;
    case 4:
      call.target = place.collection_path + "?watch=true&" +
                    dice_.Of({"resourceVersion=abc", "labelSelector=a+b", "fieldSelector=bogus%3Dx",
                              "sendInitialEvents=true", "sendInitialEvents=x",
                              "resourceVersionMatch=Exact", "limit=x", "timeoutSeconds=x"});
      break;
    default:
      call.method = "POST";
      call.target = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All";
      call.content_type = kJson;
      call.body = json::ToJson(Malformed(WidgetDefinition(), dice_));
      call.object = "customresourcedefinitions//widgets.diff.capstan.dev";
      call.collection = "customresourcedefinitions/";
      call.title = "POST customresourcedefinitions";
      return call;
  }
  call.title = call.method + " odd " + place.kind->resource;
  if (call.method == "GET") call.effect = Call::Effect::kRead;
  return call;
}

Call CallGenerator::NextWatch() {
  Place place = RandomPlace();
  while (!place.kind->namespaced) place = RandomPlace();
  Call call = CallOf(place, Call::Effect::kWatch, "GET", "", false);
  call.title = "WATCH " + place.kind->resource;
  AddParameter(call.target, "watch=true");
  if (dice_.Percent(50)) {
    AddParameter(call.target,
                 dice_.Of({"labelSelector=app%3Dweb", "labelSelector=!tier",
                           "fieldSelector=metadata.name%3Dalpha", "labelSelector=tier%3Dmid"}));
  }
  switch (dice_.Below(3)) {
    case 0:
      AddParameter(call.target,
                   "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&"
                   "allowWatchBookmarks=true&resourceVersion=" +
                       Placeholder("list", call.collection));
      break;
    default:
      AddParameter(call.target, "resourceVersion=" + Placeholder("list", call.collection));
  }
  return call;
}

Call CallGenerator::Next() {
  const size_t drawn = dice_.Below(100);
  if (drawn < 21) return Create();
  if (drawn < 32) return Update();
  if (drawn < 51) return Patch();
  if (drawn < 58) return Apply();
  if (drawn < 70) return Delete();
  if (drawn < 71) return DeleteCollection();
  if (drawn < 77) return Get();
  if (drawn < 84) return List();
  if (drawn < 90) return Status();
  if (drawn < 94) return Scale();
  if (drawn < 96) return PodSubresource();
  return Odd();
}

}  // namespace capstan::differential
