#pragma once

// A reconciler with a cache filled by the test and an API server scripted by the test.
//
// Writes are answered as by a server: a created object gets a UID and a name, and a patched object
// is returned as it is in the cache. Both get a new resourceVersion. The cache is not updated by
// writes. Rules added by the test with transport().On take precedence.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/controller.h>
#include <capstan/plugin/hosted_plugin.h>
#include <capstan/testing/simulated_runtime.h>

#include "support/scripted_transport.h"

namespace capstan::testing {

class ReconcileFixture : public ::testing::Test {
 protected:
  ReconcileFixture() {
    transport_->OnEvery("POST", "*", [this](const HttpRequest& request) {
      RawJson object = RawJson::Parse(request.body).value();
      const std::string number = std::to_string(++created_);
      if (!object.StringAt("/metadata/name")) {
        const std::string prefix = object.StringAt("/metadata/generateName").value_or("");
        object = object.With("/metadata/name", RawJson::String(prefix + number));
      }
      object = object.With("/metadata/uid", RawJson::String("new-uid-" + number))
                   .With("/metadata/resourceVersion", RawJson::String(NextVersion()));
      return JsonAnswer(201, object.text());
    });
    transport_->OnEvery("DELETE", "*", [](const HttpRequest&) {
      return JsonAnswer(200, R"({"kind":"Status","apiVersion":"v1","status":"Success"})");
    });
  }

  // Adds `object` to the cache and makes the server answer requests for it.
  template <ApiObject T>
  void Cache(const T& object, std::string_view path) {
    // The informers are not started, so nothing else changes the store.
    const_cast<Indexer&>(*informers_.InformerFor<T>().indexer()).Put(std::make_shared<T>(object));
    const RawJson json = RawJson::Parse(ToJson(object)).value();
    const auto answer = [this, json](const HttpRequest&) {
      return JsonAnswer(
          200, std::string(
                   json.With("/metadata/resourceVersion", RawJson::String(NextVersion())).text()));
    };
    const std::string target = std::string(path) + "/" + object.metadata.name;
    transport_->OnEvery("PATCH", target, answer);
    transport_->OnEvery("PATCH", target + "/status", answer);
    transport_->OnEvery("GET", target, answer);
  }
  template <ApiObject T>
  void RemoveFromCache(const T& object) {
    const_cast<Indexer&>(*informers_.InformerFor<T>().indexer())
        .Delete(api::NameOf(object.metadata));
  }

  // The requests so far except events: "PATCH <path> <body>", without the query.
  std::vector<std::string> Writes() {
    std::vector<std::string> writes;
    for (const HttpRequest& request : transport_->Requests()) {
      if (request.method == "GET" || IsEvent(request)) continue;
      writes.push_back(request.method + " " + request.target);
    }
    return writes;
  }
  // The body of the only request that matches.
  RawJson BodyOf(std::string_view method, std::string_view target) {
    RawJson body;
    int count = 0;
    for (const HttpRequest& request : transport_->Requests()) {
      if (request.method != method || !MatchesPattern(target, request.target)) continue;
      body = RawJson::Parse(request.body).value();
      ++count;
    }
    EXPECT_EQ(count, 1) << method << " " << target;
    return body;
  }
  // "Normal Reason message", in order.
  std::vector<std::string> Events() {
    runtime_.RunUntilIdle();
    std::vector<std::string> events;
    for (const HttpRequest& request : transport_->Requests()) {
      if (!IsEvent(request)) continue;
      const RawJson body = RawJson::Parse(request.body).value();
      events.push_back(body.StringAt("/type").value_or("?") + " " +
                       body.StringAt("/reason").value_or("?") + " " +
                       body.StringAt("/message").value_or("?"));
    }
    return events;
  }

  // The error for a creation in a namespace that is being deleted.
  static ScriptedAnswer NamespaceTerminating() {
    return JsonAnswer(403, R"({"kind":"Status","apiVersion":"v1","status":"Failure",)"
                           R"("reason":"Forbidden","message":"terminating","code":403,)"
                           R"("details":{"causes":[{"reason":"NamespaceTerminating"}]}})");
  }

  static Request For(std::string_view name) {
    return Request{.name = {"default", std::string(name)}};
  }

  SimulatedRuntime runtime_;
  const std::shared_ptr<ScriptedTransport> transport_ =
      std::make_shared<ScriptedTransport>(runtime_);

 private:
  static bool IsEvent(const HttpRequest& request) {
    return MatchesPattern("*/events*", request.target);
  }
  std::string NextVersion() { return std::to_string(++version_); }

  int created_ = 0;
  int version_ = 1'000;

 protected:
  const Client client_{transport_, runtime_, ClientOptions{.qps = 0}};
  SharedInformerFactory informers_{client_, runtime_, Duration::zero()};
  EventBroadcaster broadcaster_{client_, runtime_, "host"};
  Scheme scheme_;
  MetricsRegistry metrics_;
  HostedPlugin plugin_{"test",
                       {.client = client_,
                        .informers = informers_,
                        .events = broadcaster_,
                        .scheme = scheme_,
                        .runtime = runtime_,
                        .metrics = metrics_}};
  PluginContext& context_ = plugin_.context();
};

}  // namespace capstan::testing
