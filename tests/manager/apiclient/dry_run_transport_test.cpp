#include "apiclient/dry_run_transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include <capstan/api/raw_json.h>
#include <capstan/log/log.h>
#include <capstan/testing/simulated_runtime.h>

#include "support/scripted_transport.h"

namespace capstan::manager {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::JsonAnswer;
using ::testing::SizeIs;
using testing::StatusAnswer;

class DryRunLines : public LogSink {
 public:
  void Write(std::string_view line) override { lines.emplace_back(line); }
  std::vector<std::string> lines;
};

class DryRunTransportTest : public ::testing::Test {
 protected:
  struct Got {
    int status = 0;
    std::string body;
  };

  DryRunTransportTest() {
    ConfigureLogging({});
    SetLogSink(&log_);
  }
  ~DryRunTransportTest() override { SetLogSink(nullptr); }

  Got Send(std::string method, std::string target, std::string body = "") {
    HttpRequest request;
    request.method = std::move(method);
    request.target = std::move(target);
    request.headers = {{"Accept", "application/json"},
                       {"Content-Type", "application/merge-patch+json"}};
    request.body = std::move(body);
    auto response = transport_.RoundTrip(request, {});
    EXPECT_TRUE(response.ok()) << response.status().message();
    if (!response) return {};
    auto text = ReadAll(**response, 1 << 20);
    EXPECT_TRUE(text.ok());
    return {(*response)->status(), text ? *text : ""};
  }
  RawJson SendAndParse(std::string method, std::string target, std::string body) {
    const auto json = RawJson::Parse(Send(std::move(method), std::move(target), body).body);
    EXPECT_TRUE(json.ok());
    return json ? *json : RawJson();
  }

  testing::SimulatedRuntime runtime_;
  std::shared_ptr<testing::ScriptedTransport> server_ =
      std::make_shared<testing::ScriptedTransport>(runtime_);
  DryRunTransport transport_{server_};
  DryRunLines log_;
};

TEST_F(DryRunTransportTest, ReadsAreForwardedAndNotLogged) {
  server_->On("GET", "/api/v1/pods?limit=500", JsonAnswer(200, "{}"));
  EXPECT_EQ(Send("GET", "/api/v1/pods?limit=500").body, "{}");
  EXPECT_THAT(log_.lines, IsEmpty());
}

TEST_F(DryRunTransportTest, ACreateIsLoggedAndAnsweredWithTheObject) {
  const std::string body = R"({"kind":"Pod","metadata":{"generateName":"web-"},"spec":{"x":1}})";
  const Got got = Send("POST", "/api/v1/namespaces/shop/pods", body);
  EXPECT_EQ(got.status, 201);
  const auto pod = RawJson::Parse(got.body);
  ASSERT_TRUE(pod.ok());
  EXPECT_EQ(pod->StringAt("/metadata/name"), "web-00001");
  EXPECT_EQ(pod->StringAt("/metadata/namespace"), "shop");
  EXPECT_EQ(pod->StringAt("/metadata/uid"), "00000000-0000-4000-8000-000000000001");
  EXPECT_EQ(pod->StringAt("/metadata/resourceVersion"), "0");
  EXPECT_EQ(pod->At("/spec/x").text(), "1");
  EXPECT_THAT(server_->Lines(), IsEmpty());
  ASSERT_THAT(log_.lines, SizeIs(1));
  EXPECT_THAT(log_.lines[0], AllOf(HasSubstr("Dry run: not sent"), HasSubstr(R"(method="POST")"),
                                   HasSubstr(R"(path="/api/v1/namespaces/shop/pods")"),
                                   HasSubstr("generateName")));
}

TEST_F(DryRunTransportTest, CreatesGetUniqueNamesAndUids) {
  const char* const body = R"({"metadata":{"generateName":"web-"}})";
  const RawJson first = SendAndParse("POST", "/api/v1/namespaces/shop/pods", body);
  const RawJson second = SendAndParse("POST", "/api/v1/namespaces/shop/pods", body);
  EXPECT_NE(first.StringAt("/metadata/name"), second.StringAt("/metadata/name"));
  EXPECT_NE(first.StringAt("/metadata/uid"), second.StringAt("/metadata/uid"));
}

TEST_F(DryRunTransportTest, AGivenNameIsKept) {
  const RawJson object = SendAndParse("POST", "/apis/apps/v1/namespaces/shop/replicasets",
                                      R"({"metadata":{"name":"web","generateName":"x-"}})");
  EXPECT_EQ(object.StringAt("/metadata/name"), "web");
}

TEST_F(DryRunTransportTest, APatchIsAnsweredWithTheUnchangedObject) {
  const std::string path = "/apis/apps/v1/namespaces/shop/deployments/web";
  server_->OnEvery("GET", path, [](const HttpRequest&) { return JsonAnswer(200, R"({"a":1})"); });
  EXPECT_EQ(Send("PATCH", path, R"({"a":2})").body, R"({"a":1})");
  EXPECT_EQ(Send("PATCH", path + "/status?fieldManager=x", R"({"a":2})").body, R"({"a":1})");
  EXPECT_THAT(server_->Lines(), ElementsAre("GET " + path, "GET " + path));
  const HttpRequest get = server_->Requests()[0];
  EXPECT_EQ(get.body, "");
  EXPECT_EQ(testing::HeaderOf(get, "Accept"), "application/json");
  EXPECT_EQ(testing::HeaderOf(get, "Content-Type"), "");
  EXPECT_THAT(log_.lines, SizeIs(2));
}

TEST_F(DryRunTransportTest, APatchOfAMissingObjectGetsTheServersError) {
  server_->On("GET", "/api/v1/namespaces/shop/pods/web", StatusAnswer(404, "NotFound"));
  EXPECT_EQ(Send("PATCH", "/api/v1/namespaces/shop/pods/web", "{}").status, 404);
}

TEST_F(DryRunTransportTest, FindsTheObjectPathOfSubresourceRequests) {
  for (const auto& [target, object] : std::vector<std::pair<std::string, std::string>>{
           {"/api/v1/nodes/a/status", "/api/v1/nodes/a"},
           {"/api/v1/namespaces/a", "/api/v1/namespaces/a"},
           {"/api/v1/namespaces/a/status", "/api/v1/namespaces/a"},
           {"/api/v1/namespaces/a/finalize", "/api/v1/namespaces/a"},
           {"/api/v1/namespaces/a/pods/status", "/api/v1/namespaces/a/pods/status"},
           {"/apis/g/v1/namespaces/a/things/b/scale", "/apis/g/v1/namespaces/a/things/b"}}) {
    server_->On("GET", object, JsonAnswer(200, "{}"));
    EXPECT_EQ(Send("PATCH", target, "{}").status, 200) << target;
  }
}

TEST_F(DryRunTransportTest, ADeleteSucceeds) {
  const Got got = Send("DELETE", "/api/v1/namespaces/shop/pods/web", R"({"kind":"DeleteOptions"})");
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(RawJson::Parse(got.body)->StringAt("/status"), "Success");
  EXPECT_THAT(server_->Lines(), IsEmpty());
  EXPECT_THAT(log_.lines, SizeIs(1));
}

TEST_F(DryRunTransportTest, AReplacementIsAnsweredWithTheSentObject) {
  EXPECT_EQ(Send("PUT", "/api/v1/namespaces/shop/pods/web/status", R"({"a":2})").body,
            R"({"a":2})");
  EXPECT_THAT(server_->Lines(), IsEmpty());
}

TEST_F(DryRunTransportTest, EventsAreNotSent) {
  EXPECT_EQ(Send("POST", "/api/v1/namespaces/shop/events", R"({"metadata":{"name":"e"}})").status,
            201);
  EXPECT_EQ(Send("PATCH", "/api/v1/namespaces/shop/events/e", R"({"count":2})").status, 200);
  EXPECT_THAT(server_->Lines(), IsEmpty());
}

TEST_F(DryRunTransportTest, ReviewsAreForwarded) {
  for (const char* path :
       {"/apis/authentication.k8s.io/v1/tokenreviews",
        "/apis/authorization.k8s.io/v1/subjectaccessreviews",
        "/apis/authorization.k8s.io/v1/namespaces/shop/localsubjectaccessreviews",
        "/api/v1/namespaces/shop/serviceaccounts/web/token"}) {
    server_->On("POST", path, JsonAnswer(201, "{}"));
    EXPECT_EQ(Send("POST", path, R"({"spec":{"token":"secret"}})").status, 201);
  }
  EXPECT_THAT(server_->Lines(), SizeIs(4));
  EXPECT_THAT(log_.lines, IsEmpty());
}

TEST_F(DryRunTransportTest, ALongBodyIsTruncatedInTheLog) {
  Send("PUT", "/api/v1/namespaces/shop/configmaps/x", std::string(100'000, 'a') + "\n");
  ASSERT_THAT(log_.lines, SizeIs(1));
  EXPECT_LT(log_.lines[0].size(), 3000U);
  EXPECT_THAT(log_.lines[0], HasSubstr("... (100001 bytes)"));
  EXPECT_EQ(log_.lines[0].find('\n'), std::string::npos);
}

TEST_F(DryRunTransportTest, AStoppedCallerGetsCanceled) {
  std::stop_source stop;
  stop.request_stop();
  HttpRequest request;
  request.method = "DELETE";
  request.target = "/api/v1/nodes/a";
  EXPECT_TRUE(transport_.RoundTrip(request, stop.get_token()).status().IsCanceled());
  EXPECT_THAT(log_.lines, IsEmpty());
}

TEST_F(DryRunTransportTest, ACreateWithAMalformedBodyFails) {
  HttpRequest request;
  request.method = "POST";
  request.target = "/api/v1/nodes";
  request.body = "{";
  EXPECT_FALSE(transport_.RoundTrip(request, {}).ok());
}

}  // namespace
}  // namespace capstan::manager
