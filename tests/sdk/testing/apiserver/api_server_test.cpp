#include <capstan/testing/api_server.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <capstan/api/coordination_v1.h>
#include <capstan/client/client.h>
#include <capstan/testing/simulated_runtime.h>

#include "apiserver/codec/protobuf_body.h"
#include "json/value.h"

namespace capstan::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kConfigMaps = "/api/v1/namespaces/default/configmaps";
constexpr std::string_view kTable = "application/json;as=Table;v=v1;g=meta.k8s.io";
constexpr std::string_view kPartial =
    "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
constexpr std::string_view kPartialList =
    "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";

struct Answer {
  int code = 0;
  std::string type;
  std::string warning;
  std::string retry_after;
  std::string body;
  json::Value json;

  std::string message() const { return json.Get("message").AsString(); }
  std::string reason() const { return json.Get("reason").AsString(); }
};

class ApiServerTest : public ::testing::Test {
 protected:
  explicit ApiServerTest(ApiServerOptions options = {}) {
    options.garbage_collection = false;
    server = std::make_unique<ApiServer>(runtime, options);
    transport = server->NewTransport();
    Send("POST", "/api/v1/namespaces", R"({"metadata":{"name":"default"}})");
  }

  using Headers = std::vector<std::pair<std::string, std::string>>;
  Answer Send(std::string method, std::string_view target, std::string body = {},
              Headers headers = {}) {
    HttpRequest request;
    request.method = std::move(method);
    request.target = target;
    request.body = std::move(body);
    request.headers = std::move(headers);
    auto response = transport->RoundTrip(request, {});
    Answer answer;
    EXPECT_TRUE(response.ok()) << response.status().ToString();
    if (!response.ok()) return answer;
    answer.code = (*response)->status();
    answer.type = (*response)->Header("content-type");
    answer.warning = (*response)->Header("Warning");
    answer.retry_after = (*response)->Header("Retry-After");
    auto text = ReadAll(**response, size_t{1} << 24);
    EXPECT_TRUE(text.ok());
    if (text.ok()) answer.body = *std::move(text);
    if (auto parsed = json::ParseValue(answer.body); parsed.ok()) answer.json = parsed->value;
    return answer;
  }
  Answer Get(std::string_view target, std::string_view accept = {}) {
    return Send("GET", target, {}, {{"Accept", std::string(accept)}});
  }
  Answer CreateConfigMap(const std::string& name) {
    return Send("POST", kConfigMaps,
                R"({"metadata":{"name":")" + name + R"("},"data":{"kind":"x","a":"b"}})");
  }
  static std::string ConfigMap(const std::string& name) {
    return std::string(kConfigMaps) + "/" + name;
  }

  SimulatedRuntime runtime;
  std::unique_ptr<ApiServer> server;
  std::shared_ptr<Transport> transport;
};

TEST_F(ApiServerTest, CreatesAndGetsAnObject) {
  const Answer created = CreateConfigMap("a");
  EXPECT_EQ(created.code, 201) << created.body;
  EXPECT_EQ(created.type, "application/json");
  const Answer got = Get(ConfigMap("a"));
  EXPECT_EQ(got.code, 200);
  EXPECT_EQ(got.json, created.json);
  EXPECT_EQ(got.json.Get("kind").AsString(), "ConfigMap");
  EXPECT_EQ(got.json.Get("metadata", "resourceVersion").AsString(),
            std::to_string(server->ResourceVersion()));
}

TEST_F(ApiServerTest, ListItemsOmitTheirKind) {
  CreateConfigMap("a");
  const Answer list = Get(kConfigMaps);
  EXPECT_EQ(list.json.Get("kind").AsString(), "ConfigMapList");
  EXPECT_EQ(list.json.Get("apiVersion").AsString(), "v1");
  ASSERT_EQ(list.json.Get("items").items().size(), 1U);
  const json::Value& item = list.json.Get("items").items()[0];
  EXPECT_FALSE(item.Find("kind"));
  EXPECT_FALSE(item.Find("apiVersion"));
  EXPECT_EQ(item.Get("data", "kind").AsString(), "x");
}

TEST_F(ApiServerTest, AnEmptyListHasNoItems) {
  EXPECT_EQ(Get(kConfigMaps).json.Get("items"), json::Value::Array());
}

TEST_F(ApiServerTest, PagesALongList) {
  for (const char* name : {"a", "b", "c"}) CreateConfigMap(name);
  const Answer first = Get(std::string(kConfigMaps) + "?limit=2");
  EXPECT_EQ(first.json.Get("metadata", "remainingItemCount").AsInteger(), 1);
  const std::string token = first.json.Get("metadata", "continue").AsString();
  const std::string rest = std::string(kConfigMaps) + "?limit=2&continue=" + token;
  EXPECT_EQ(Get(rest).json.Get("items").items().size(), 1U);
  CreateConfigMap("d");
  server->Compact();
  const Answer expired = Get(rest);
  EXPECT_EQ(expired.code, 410);
  EXPECT_EQ(expired.reason(), "Expired");
  const std::string next = expired.json.Get("metadata", "continue").AsString();
  EXPECT_EQ(Get(std::string(kConfigMaps) + "?continue=" + next).json.Get("items").items().size(),
            2U);
}

TEST_F(ApiServerTest, PrintsTables) {
  CreateConfigMap("a");
  const Answer table = Get(kConfigMaps, std::string(kTable) + ",application/json");
  EXPECT_EQ(table.json.Get("kind").AsString(), "Table");
  EXPECT_EQ(table.json.Get("apiVersion").AsString(), "meta.k8s.io/v1");
  ASSERT_EQ(table.json.Get("rows").items().size(), 1U);
  EXPECT_EQ(Get(ConfigMap("a"), kTable).json.Get("rows").items().size(), 1U);
  EXPECT_EQ(Get(ConfigMap("a") + "?includeObject=Foo", kTable).message(),
            "Unable to convert to Table as requested: includeObject: Invalid value: \"Foo\": must "
            "be 'Metadata', 'Object', 'None', or empty");
  EXPECT_EQ(Get(ConfigMap("nope"), kTable).json.Get("kind").AsString(), "Status");
}

TEST_F(ApiServerTest, PrintsPartialObjectMetadata) {
  CreateConfigMap("a");
  const Answer one = Get(ConfigMap("a"), kPartial);
  EXPECT_EQ(one.json.Get("kind").AsString(), "PartialObjectMetadata");
  EXPECT_EQ(one.json.Get("metadata", "name").AsString(), "a");
  EXPECT_FALSE(one.json.Find("data"));
  const Answer list = Get(kConfigMaps, kPartialList);
  EXPECT_EQ(list.json.Get("kind").AsString(), "PartialObjectMetadataList");
  EXPECT_EQ(list.json.Get("items").items().at(0).Get("kind").AsString(), "PartialObjectMetadata");
  EXPECT_EQ(Get(kConfigMaps, kPartial).message(),
            "you requested PartialObjectMetadata, but the requested object is a list "
            "(*core.ConfigMapList)");
  EXPECT_EQ(Get(ConfigMap("a"), kPartialList).message(),
            "you requested PartialObjectMetadataList, but the requested object is not a list "
            "(*core.ConfigMap)");
}

TEST_F(ApiServerTest, PrettyPrintsOnRequest) {
  CreateConfigMap("a");
  EXPECT_THAT(Get(ConfigMap("a") + "?pretty=true").body, HasSubstr("\n  \"metadata\": {\n    "));
  EXPECT_EQ(Get(ConfigMap("a") + "?pretty=true").json, Get(ConfigMap("a")).json);
  EXPECT_THAT(Send("GET", ConfigMap("a"), {}, {{"User-Agent", "curl/8"}}).body, HasSubstr("\n  "));
}

TEST_F(ApiServerTest, WarnsOfUnknownFields) {
  const Answer answer =
      Send("POST", kConfigMaps, R"({"metadata":{"name":"a"},"spec":1,"other":"2"})");
  EXPECT_EQ(answer.code, 201) << answer.body;
  EXPECT_THAT(answer.warning, HasSubstr("299 - \"unknown field \\\"spec\\\"\""));
  EXPECT_THAT(answer.warning, HasSubstr("299 - \"unknown field \\\"other\\\"\""));
}

TEST_F(ApiServerTest, ReportsHealthAndVersion) {
  EXPECT_EQ(Get("/readyz").body, "ok");
  EXPECT_THAT(Get("/version").json.Get("gitVersion").AsString(), StartsWith("v1.36"));
  EXPECT_EQ(Get("/apis").json.Get("kind").AsString(), "APIGroupList");
}

TEST_F(ApiServerTest, ServesEventsInBothGroups) {
  const Answer created =
      Send("POST", "/apis/events.k8s.io/v1/namespaces/default/events",
           R"({"metadata":{"name":"e"},"regarding":{"kind":"Pod","namespace":"default","name":"x"},
          "reason":"R","note":"n","type":"Normal","action":"A","reportingController":"c.io/d",
          "reportingInstance":"i","eventTime":"2026-01-01T00:00:00.000000Z"})");
  ASSERT_EQ(created.code, 201) << created.body;
  const Answer core = Get("/api/v1/namespaces/default/events/e");
  EXPECT_EQ(core.json.Get("apiVersion").AsString(), "v1");
  EXPECT_EQ(core.json.Get("message").AsString(), "n");
  EXPECT_EQ(core.json.Get("involvedObject", "name").AsString(), "x");
  EXPECT_EQ(core.json.Get("reportingComponent").AsString(), "c.io/d");
  const Answer list =
      Get("/apis/events.k8s.io/v1/events?fieldSelector=regarding.name%3Dx,reason%3DR");
  ASSERT_EQ(list.json.Get("items").items().size(), 1U) << list.body;
  EXPECT_EQ(list.json.Get("items").items()[0].Get("note").AsString(), "n");
  EXPECT_EQ(Get("/api/v1/events?fieldSelector=involvedObject.name%3Dy").json.Get("items").items(),
            json::Value::Items());
}

struct BadRequest {
  const char* name;
  const char* method;
  const char* target;
  const char* content_type;
  int code;
  const char* message;
};

void PrintTo(const BadRequest& bad, std::ostream* out) { *out << bad.method << ' ' << bad.target; }

class BadApiRequest : public ApiServerTest, public ::testing::WithParamInterface<BadRequest> {};

// The codes and texts are those of kube-apiserver 1.36.
TEST_P(BadApiRequest, IsRefusedWithTheCodeAndMessageOfTheApi) {
  const BadRequest& bad = GetParam();
  const Answer answer = Send(bad.method, bad.target, "{}", {{"Content-Type", bad.content_type}});
  EXPECT_EQ(answer.code, bad.code) << answer.body;
  EXPECT_EQ(answer.message(), bad.message);
  EXPECT_EQ(answer.json.Get("status").AsString(), "Failure");
  EXPECT_EQ(answer.json.Get("code").AsInteger(), bad.code);
}

constexpr const char* kNoPath = "the server could not find the requested resource";
constexpr const char* kNoMethod = "the server does not allow this method on the requested resource";
constexpr const char* kJson = "application/json";
constexpr const char* kNoFormat =
    "the body of the request was in an unknown format - accepted media types include: "
    "application/json, application/yaml, application/vnd.kubernetes.protobuf";

INSTANTIATE_TEST_SUITE_P(
    Requests, BadApiRequest,
    ::testing::Values(
        BadRequest{"NoSuchResource", "GET", "/api/v1/foos", kJson, 404, kNoPath},
        BadRequest{"NoSuchResourceInNamespace", "GET", "/api/v1/namespaces/default/foos/x", kJson,
                   404, kNoPath},
        BadRequest{"NoSuchVersion", "GET", "/apis/apps/v9/deployments", kJson, 404, kNoPath},
        BadRequest{"NoSuchSubresource", "GET", "/api/v1/namespaces/default/configmaps/a/status",
                   kJson, 404, kNoPath},
        BadRequest{"TooLongPath", "GET", "/api/v1/namespaces/default/pods/a/b/c", kJson, 404,
                   kNoPath},
        BadRequest{"NameWithoutNamespace", "GET", "/api/v1/configmaps/x", kJson, 404, kNoPath},
        BadRequest{"NodesInANamespace", "GET", "/api/v1/namespaces/a/nodes", kJson, 404, kNoPath},
        BadRequest{"EmptySegment", "GET", "/api/v1//nodes", kJson, 404, kNoPath},
        BadRequest{"CreateWithoutNamespace", "POST", "/api/v1/configmaps", kJson, 405, kNoMethod},
        BadRequest{"CreateByName", "POST", "/api/v1/namespaces/default/pods/x", kJson, 405,
                   kNoMethod},
        BadRequest{"UpdateOfACollection", "PUT", "/api/v1/namespaces/default/pods", kJson, 405,
                   kNoMethod},
        BadRequest{"DeleteOfAllNamespaces", "DELETE", "/api/v1/namespaces", kJson, 405, kNoMethod},
        BadRequest{"DeleteOfAStatus", "DELETE", "/api/v1/namespaces/default/pods/x/status", kJson,
                   405, kNoMethod},
        BadRequest{"GetOfABinding", "GET", "/api/v1/namespaces/default/pods/x/binding", kJson, 405,
                   kNoMethod},
        BadRequest{"UnknownMethod", "FOO", "/api/v1/nodes", kJson, 405, kNoMethod},
        BadRequest{"Options", "OPTIONS", "/api/v1/nodes", kJson, 405, kNoMethod},
        BadRequest{"Head", "HEAD", "/api/v1/nodes", kJson, 405, kNoMethod},
        BadRequest{"CreateByWatchPath", "POST", "/api/v1/watch/nodes", kJson, 405, kNoMethod},
        BadRequest{"PlainPatch", "PATCH", "/api/v1/namespaces/default/configmaps/a", "text/plain",
                   415, "415: Unsupported Media Type"},
        BadRequest{"JsonAsPatch", "PATCH", "/api/v1/namespaces/default/configmaps/a", kJson, 415,
                   "415: Unsupported Media Type"},
        BadRequest{"PlainCreate", "POST", "/api/v1/namespaces/default/configmaps", "text/plain",
                   415, kNoFormat},
        BadRequest{"FormCreate", "POST", "/api/v1/namespaces/default/configmaps",
                   "application/x-www-form-urlencoded", 415, kNoFormat},
        BadRequest{"NoMediaType", "POST", "/api/v1/namespaces/default/configmaps", ";;", 415,
                   kNoFormat},
        BadRequest{"PlainDelete", "DELETE", "/api/v1/namespaces/default/configmaps/a", "text/plain",
                   415, kNoFormat},
        BadRequest{"NotUtf8", "GET", "/api/v1/nodes/%ff", kJson, 400, "the URL is not valid UTF-8"},
        BadRequest{"NotThere", "GET", "/apis/apps/v1/namespaces/default/deployments/x", kJson, 404,
                   "deployments.apps \"x\" not found"},
        BadRequest{"BadSelector", "GET", "/api/v1/pods?fieldSelector=spec.foo%3Da", kJson, 400,
                   "field label not supported: spec.foo"}),
    [](const auto& info) { return info.param.name; });

TEST_F(ApiServerTest, AnswersUnknownGroupsWithAPlainPage) {
  for (const char* target : {"/apis/foo.bar/v1/things", "/nothing", "/apis/foo.bar"}) {
    const Answer answer = Get(target);
    EXPECT_EQ(answer.code, 404) << target;
    EXPECT_EQ(answer.body, "404 page not found\n") << target;
    EXPECT_EQ(answer.type, "text/plain; charset=utf-8") << target;
  }
}

TEST_F(ApiServerTest, SendsRetryAfter) {
  const Answer answer = Get(std::string(kConfigMaps) + "?resourceVersion=999");
  EXPECT_EQ(answer.code, 504);
  EXPECT_EQ(answer.retry_after, "1");
  EXPECT_EQ(answer.json.Get("details", "retryAfterSeconds").AsInteger(), 1);
}

TEST_F(ApiServerTest, ErrorsNameTheirSubject) {
  const json::Value details =
      Get("/apis/apps/v1/namespaces/default/deployments/x").json.Get("details");
  EXPECT_EQ(details,
            json::Value::Object({{"name", "x"}, {"group", "apps"}, {"kind", "deployments"}}));
}

class SmallApiServerTest : public ApiServerTest {
 protected:
  SmallApiServerTest() : ApiServerTest({.max_body = 100}) {}
};

TEST_F(SmallApiServerTest, RefusesALargeBody) {
  const Answer answer = Send("POST", kConfigMaps, std::string(101, ' '));
  EXPECT_EQ(answer.code, 413);
  EXPECT_EQ(answer.message(), "Request entity too large: limit is 100");
  EXPECT_EQ(answer.reason(), "RequestEntityTooLarge");
}

TEST_F(ApiServerTest, ServesARegisteredCustomResource) {
  ASSERT_TRUE(server->Register({"example.com", "v1", "Widget", "widgets", true}).ok());
  const std::string widgets = "/apis/example.com/v1/namespaces/default/widgets";
  const Answer created =
      Send("POST", widgets,
           R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"any":[1]})");
  ASSERT_EQ(created.code, 201) << created.body;
  const Answer list = Get(widgets);
  EXPECT_EQ(list.json.Get("kind").AsString(), "WidgetList");
  ASSERT_EQ(list.json.Get("items").items().size(), 1U);
  EXPECT_EQ(list.json.Get("items").items()[0].Get("kind").AsString(), "Widget");
  const Answer strategic = Send("PATCH", widgets + "/w", "{}",
                                {{"Content-Type", "application/strategic-merge-patch+json"}});
  EXPECT_EQ(strategic.code, 415);
  EXPECT_FALSE(server->Register({"example.com", "v1", "Widget", "widgets", true}).ok());
}

TEST_F(ApiServerTest, RestoresObjectsAndCustomResources) {
  ASSERT_TRUE(server->Register({"example.com", "v1", "Widget", "widgets", true}).ok());
  CreateConfigMap("a");
  const std::string saved = server->Save();
  const int64_t version = server->ResourceVersion();
  CreateConfigMap("b");
  ApiServer other(runtime, {.garbage_collection = false});
  ASSERT_TRUE(other.Restore(saved).ok());
  transport = other.NewTransport();
  EXPECT_EQ(other.ResourceVersion(), version);
  EXPECT_EQ(Get(kConfigMaps).json.Get("items").items().size(), 1U);
  EXPECT_EQ(Get("/apis/example.com/v1/widgets").code, 200);
  EXPECT_FALSE(other.Restore("{").ok());
  EXPECT_FALSE(other.Restore("{}").ok());
  EXPECT_EQ(Get(ConfigMap("a")).code, 200);
}

constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";

json::Value FromProtobuf(const std::string& body) {
  const auto text = server::JsonOfProtobuf(body);
  EXPECT_TRUE(text.ok() && *text) << text.status().ToString();
  return text.ok() && *text ? json::ParseValue(**text)->value : json::Value();
}

TEST_F(ApiServerTest, SendsObjectsListsAndErrorsInProtobuf) {
  CreateConfigMap("a");
  const Answer got = Get(ConfigMap("a"), kProtobuf);
  EXPECT_EQ(got.type, kProtobuf);
  const json::Value object = FromProtobuf(got.body);
  EXPECT_EQ(object.Get("data"), Get(ConfigMap("a")).json.Get("data"));
  EXPECT_EQ(object.Get("kind").AsString(), "ConfigMap");
  const Answer list = Get(kConfigMaps, std::string(kProtobuf) + ",application/json");
  EXPECT_EQ(list.type, kProtobuf);
  EXPECT_THAT(list.body, HasSubstr("ConfigMapList"));
  const Answer missing = Get(ConfigMap("b"), kProtobuf);
  EXPECT_EQ(missing.code, 404);
  EXPECT_EQ(missing.type, kProtobuf);
  EXPECT_EQ(FromProtobuf(missing.body).Get("reason").AsString(), "NotFound");
  const Answer partial =
      Get(ConfigMap("a"), std::string(kProtobuf) + ";as=PartialObjectMetadata;v=v1;g=meta.k8s.io");
  EXPECT_EQ(partial.type, kProtobuf);
  EXPECT_THAT(partial.body, HasSubstr("PartialObjectMetadata"));
}

TEST_F(ApiServerTest, IsReadInProtobufByClients) {
  using api::coordination::v1::Lease;
  const Client client(transport, runtime, {.qps = 0});
  Lease lease;
  lease.metadata.name = "a";
  lease.metadata.namespace_ = "default";
  lease.spec.holderIdentity = "me";
  const auto created = client.Create(lease);
  ASSERT_TRUE(created) << created.status().ToString();
  const auto all = client.ListAll<Lease>("default");
  ASSERT_TRUE(all) << all.status().ToString();
  ASSERT_EQ(all->size(), 1U);
  EXPECT_EQ(all->front()->spec.holderIdentity, "me");
  auto stream = client.Watch(DescriptorOf<Lease>(), "default", {.timeout = std::chrono::hours(1)});
  ASSERT_TRUE(stream) << stream.status().ToString();
  const auto event = (*stream)->Next();
  ASSERT_TRUE(event && *event) << event.status().ToString();
  EXPECT_TRUE(Equal(*std::static_pointer_cast<const Lease>((*event)->object), **created));
  EXPECT_TRUE(client.Get<Lease>({"default", "b"}).status().IsNotFound());
  const std::string path = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
  const Answer list = Get(path, std::string(kProtobuf) + ",application/json");
  EXPECT_EQ(list.type, kProtobuf) << "the client got protobuf";
}

TEST_F(ApiServerTest, SendsCustomResourcesInJsonOnly) {
  ASSERT_TRUE(server->Register({"example.com", "v1", "Widget", "widgets", true}).ok());
  const std::string both = std::string(kProtobuf) + ",application/json";
  EXPECT_EQ(Get("/apis/example.com/v1/widgets", both).type, "application/json");
  EXPECT_EQ(Get("/apis/example.com/v1/widgets", kProtobuf).code, 406);
  const std::string partial =
      std::string(kProtobuf) + ";as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
  EXPECT_EQ(Get("/apis/example.com/v1/widgets", partial).type, kProtobuf);
}

class ApiServerWatchTest : public ApiServerTest {
 protected:
  ~ApiServerWatchTest() override {
    if (server) server->CloseWatches();
    for (auto& thread : threads) thread->Join();
  }
  // Records "ADDED a", ... and finally "end".
  std::vector<std::string>& Watch(std::string target, std::string_view accept = {}) {
    auto& lines = *all_lines.emplace_back(std::make_unique<std::vector<std::string>>());
    threads.push_back(runtime.Start("watch", [this, target, accept, &lines] {
      HttpRequest request;
      request.method = "GET";
      request.target = target;
      request.headers = {{"Accept", std::string(accept)}};
      request.timeout = std::nullopt;
      auto response = transport->RoundTrip(request, {});
      ASSERT_TRUE(response.ok());
      std::string text;
      char buffer[100];
      for (auto count = (*response)->Read(buffer, sizeof(buffer)); count.ok() && *count > 0;
           count = (*response)->Read(buffer, sizeof(buffer))) {
        text.append(buffer, *count);
        for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
          lines.push_back(text.substr(0, end));
          text.erase(0, end + 1);
        }
      }
      lines.emplace_back("end");
    }));
    runtime.RunUntilIdle();
    return lines;
  }

  std::vector<std::unique_ptr<std::vector<std::string>>> all_lines;
  std::vector<std::unique_ptr<Thread>> threads;
};

TEST_F(ApiServerWatchTest, StreamsChangesWithTheirKinds) {
  const auto& lines = Watch(std::string(kConfigMaps) + "?watch=1");
  const auto& by_path = Watch("/api/v1/watch/namespaces/default/configmaps");
  CreateConfigMap("a");
  runtime.RunUntilIdle();
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(by_path, lines);
  const auto event = json::ParseValue(lines[0]);
  ASSERT_TRUE(event.ok());
  EXPECT_EQ(event->value.Get("type").AsString(), "ADDED");
  EXPECT_EQ(event->value.Get("object"), Get(ConfigMap("a")).json);
}

TEST_F(ApiServerWatchTest, OnlyTheFirstTableHasColumnDefinitions) {
  CreateConfigMap("a");
  const auto& lines = Watch(std::string(kConfigMaps) + "?watch=1", kTable);
  CreateConfigMap("b");
  runtime.RunUntilIdle();
  ASSERT_EQ(lines.size(), 2U);
  const json::Value first = json::ParseValue(lines[0])->value.Get("object");
  const json::Value second = json::ParseValue(lines[1])->value.Get("object");
  EXPECT_EQ(first.Get("kind").AsString(), "Table");
  EXPECT_FALSE(first.Get("columnDefinitions").items().empty());
  EXPECT_TRUE(second.Get("columnDefinitions").IsNull());
  EXPECT_EQ(second.Get("rows").items().size(), 1U);
}

TEST_F(ApiServerWatchTest, ARestartEndsEveryWatchAndAllowsNewOnes) {
  const auto& lines = Watch(std::string(kConfigMaps) + "?watch=1");
  server->CloseWatches();
  runtime.RunUntilIdle();
  EXPECT_THAT(lines, ElementsAre("end"));
  const auto& more = Watch(std::string(kConfigMaps) + "?watch=1");
  CreateConfigMap("a");
  runtime.RunUntilIdle();
  EXPECT_EQ(more.size(), 1U);
}

TEST_F(ApiServerTest, TransportsFailAfterTheServerIsDestroyed) {
  server.reset();
  HttpRequest request;
  request.method = "GET";
  request.target = "/version";
  EXPECT_EQ(transport->RoundTrip(request, {}).status().reason(), StatusReason::kTransport);
}

TEST_F(ApiServerTest, RefusesAStoppedCaller) {
  std::stop_source stop;
  stop.request_stop();
  HttpRequest request;
  request.method = "GET";
  request.target = "/version";
  EXPECT_TRUE(transport->RoundTrip(request, stop.get_token()).status().IsCanceled());
}

TEST_F(ApiServerTest, RefusesABadEscapeBeforeOtherErrors) {
  for (const char* target : {"/api/v1/namespaces/default/configmaps/%zz", "/%", "/api?a=%2"}) {
    const Answer answer = Get(target);
    EXPECT_EQ(answer.code, 400) << target;
    EXPECT_EQ(answer.body, "400 Bad Request") << target;
    EXPECT_EQ(answer.type, "text/plain; charset=utf-8") << target;
  }
}

TEST_F(ApiServerTest, SendsWarningsWithAnError) {
  const Answer answer = Send("POST", kConfigMaps, R"({"metadata":{"name":"A"},"odd":1})");
  EXPECT_EQ(answer.code, 422);
  EXPECT_EQ(answer.warning, R"(299 - "unknown field \"odd\"")");
}

}  // namespace
}  // namespace capstan::testing
