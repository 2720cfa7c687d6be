#include "apiserver/http/discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::testing::server {
namespace {

using json::Value;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kAggregated[] =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

class DiscoveryTest : public ::testing::Test {
 protected:
  std::optional<DocumentAnswer> Request(std::string_view method, std::string_view target,
                                        std::string_view accept = "application/json",
                                        std::string_view body = {}) {
    const auto parsed = ParseTarget(target);
    EXPECT_TRUE(parsed.ok()) << parsed.status().message();
    return discovery_.Serve(method, *parsed, accept, body,
                            {.name = "jane", .uid = {}, .groups = {"admins"}});
  }

  Value Get(std::string_view target, std::string_view accept = "application/json") {
    const auto answer = Request("GET", target, accept);
    EXPECT_TRUE(answer.has_value()) << target;
    if (!answer) return {};
    EXPECT_EQ(answer->code, 200) << answer->body;
    return Parsed(answer->body);
  }

  Value Post(std::string_view target, std::string_view body, int code = 201) {
    const auto answer = Request("POST", target, "application/json", body);
    EXPECT_TRUE(answer.has_value()) << target;
    if (!answer) return {};
    EXPECT_EQ(answer->code, code) << answer->body;
    return Parsed(answer->body);
  }

  static Value Parsed(const std::string& text) {
    auto parsed = json::ParseValue(text);
    EXPECT_TRUE(parsed.ok()) << text;
    return parsed ? parsed->value : Value();
  }

  static std::vector<std::string> Members(const Value& array, std::string_view name) {
    std::vector<std::string> texts;
    for (const Value& item : array.items()) texts.push_back(item.Get(name).AsString());
    return texts;
  }

  static const Value& Named(const Value& array, std::string_view member, std::string_view name) {
    for (const Value& item : array.items()) {
      if (item.Get(member).AsString() == name) return item;
    }
    ADD_FAILURE() << "no " << name;
    return array;
  }

  void AddWidgets(const std::string& version) {
    catalog_.Add(
        {.group = "example.com",
         .version = version,
         .name = "widgets",
         .singular = "widget",
         .kind = "Widget",
         .short_names = {"wd"},
         .subresources = {
             {"status", {"get", "patch", "update"}, {"example.com", version, "Widget"}, nullptr}}});
  }

  ResourceCatalog catalog_;
  Discovery discovery_{catalog_};
};

TEST_F(DiscoveryTest, ServesItsVersion) {
  const Value version = Get("/version");
  EXPECT_EQ(version.Get("major").AsString(), "1");
  EXPECT_EQ(version.Get("minor").AsString(), "36");
  EXPECT_THAT(version.Get("gitVersion").AsString(), HasSubstr("v1.36.3"));
}

TEST_F(DiscoveryTest, ServesHealthChecks) {
  for (const char* path : {"/healthz", "/livez", "/readyz", "/livez/ping"}) {
    const auto answer = Request("GET", path);
    ASSERT_TRUE(answer.has_value()) << path;
    EXPECT_EQ(answer->body, "ok");
    EXPECT_THAT(answer->content_type, HasSubstr("text/plain"));
  }
  EXPECT_EQ(Request("GET", "/readyz?verbose")->body, "[+]ping ok\nreadyz check passed\n");
  EXPECT_FALSE(Request("GET", "/readyz/etcd").has_value());
}

TEST_F(DiscoveryTest, ListsGroupsAndTheirVersions) {
  EXPECT_THAT(Members(Get("/apis").Get("groups"), "name"),
              ::testing::IsSupersetOf({"apps", "coordination.k8s.io", "authorization.k8s.io",
                                       "events.k8s.io", "apiextensions.k8s.io"}));
  const Value apps = Get("/apis/apps");
  EXPECT_EQ(apps.Get("kind").AsString(), "APIGroup");
  EXPECT_EQ(apps.Get("preferredVersion", "groupVersion").AsString(), "apps/v1");
  EXPECT_EQ(Get("/api").Get("versions").items().at(0).AsString(), "v1");
}

TEST_F(DiscoveryTest, ListsResourcesWithTheirVerbs) {
  const Value apps = Get("/apis/apps/v1");
  EXPECT_EQ(apps.Get("groupVersion").AsString(), "apps/v1");
  EXPECT_THAT(Members(apps.Get("resources"), "name"),
              ElementsAre("controllerrevisions", "daemonsets", "daemonsets/status", "deployments",
                          "deployments/scale", "deployments/status", "replicasets",
                          "replicasets/scale", "replicasets/status", "statefulsets",
                          "statefulsets/scale", "statefulsets/status"));
  const Value& deployments = Named(apps.Get("resources"), "name", "deployments");
  EXPECT_EQ(deployments.Get("kind").AsString(), "Deployment");
  EXPECT_EQ(deployments.Get("singularName").AsString(), "deployment");
  EXPECT_TRUE(deployments.Get("namespaced").AsBool());
  EXPECT_EQ(deployments.Get("shortNames").items().at(0).AsString(), "deploy");
  EXPECT_EQ(deployments.Get("categories").items().at(0).AsString(), "all");
  EXPECT_EQ(json::ToJson(deployments.Get("verbs")),
            R"(["create","delete","deletecollection","get","list","patch","update","watch"])");
  const Value& scale = Named(apps.Get("resources"), "name", "deployments/scale");
  EXPECT_EQ(scale.Get("group").AsString(), "autoscaling");
  EXPECT_EQ(scale.Get("kind").AsString(), "Scale");
}

TEST_F(DiscoveryTest, ListsSubresourcesOfCore) {
  const auto names = Members(Get("/api/v1").Get("resources"), "name");
  for (const char* name : {"pods/binding", "pods/eviction", "pods/status", "serviceaccounts/token",
                           "namespaces/finalize", "nodes/status"}) {
    EXPECT_THAT(names, Contains(name));
  }
  const Value document = Get("/api/v1");
  const Value& namespaces = Named(document.Get("resources"), "name", "namespaces");
  EXPECT_THAT(json::ToJson(namespaces.Get("verbs")), Not(HasSubstr("deletecollection")));
}

TEST_F(DiscoveryTest, ServesAggregatedDiscovery) {
  const auto answer = Request("GET", "/apis", std::string(kAggregated) + ",application/json");
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->content_type, kAggregated);
  const Value document = Parsed(answer->body);
  EXPECT_EQ(document.Get("kind").AsString(), "APIGroupDiscoveryList");
  const Value* apps = nullptr;
  for (const Value& group : document.Get("items").items()) {
    if (group.Get("metadata", "name").AsString() == "apps") apps = &group;
  }
  ASSERT_NE(apps, nullptr);
  const Value& version = apps->Get("versions").items().at(0);
  EXPECT_EQ(version.Get("freshness").AsString(), "Current");
  const Value& deployments = Named(version.Get("resources"), "resource", "deployments");
  EXPECT_EQ(deployments.Get("scope").AsString(), "Namespaced");
  EXPECT_THAT(Members(deployments.Get("subresources"), "subresource"),
              ElementsAre("scale", "status"));
  const Value core = Get("/api", kAggregated);
  EXPECT_EQ(core.Get("items").items().size(), 1U);
}

TEST_F(DiscoveryTest, ServesJsonOnly) {
  EXPECT_EQ(Request("GET", "/apis", "application/vnd.kubernetes.protobuf")->code, 406);
  EXPECT_EQ(Request("GET", "/apis", "application/json;g=x;v=v9;as=Other")->code, 406);
  EXPECT_EQ(Request("GET", "/apis", "application/vnd.kubernetes.protobuf, */*")->code, 200);
  EXPECT_EQ(Request("GET", "/apis", "")->code, 200);
}

TEST_F(DiscoveryTest, ListsCustomResourcesWhileTheyAreServed) {
  EXPECT_FALSE(Request("GET", "/apis/example.com/v1").has_value());
  AddWidgets("v1");
  EXPECT_THAT(Members(Get("/apis/example.com/v1").Get("resources"), "name"),
              ElementsAre("widgets", "widgets/status"));
  catalog_.Remove("example.com", "widgets");
  EXPECT_FALSE(Request("GET", "/apis/example.com").has_value());
}

TEST_F(DiscoveryTest, PrefersTheMostStableAndNewestVersion) {
  for (const char* version : {"v1alpha1", "v1beta2", "v1", "v2", "v10", "v1beta10", "odd"}) {
    AddWidgets(version);
  }
  const Value group = Get("/apis/example.com");
  EXPECT_THAT(Members(group.Get("versions"), "version"),
              ElementsAre("v10", "v2", "v1", "v1beta10", "v1beta2", "v1alpha1", "odd"));
  EXPECT_EQ(group.Get("preferredVersion", "version").AsString(), "v10");
}

TEST_F(DiscoveryTest, IgnoresOtherPaths) {
  for (const char* path : {"/apis/nope", "/apis/apps/v9", "/api/v2", "/apis/apps/v1/deployments",
                           "/openapi/v2", "/openapi/v3/apis/nope/v1", "/metrics", "/version/x"}) {
    EXPECT_FALSE(Request("GET", path).has_value()) << path;
  }
  EXPECT_FALSE(Request("POST", "/apis").has_value());
}

TEST_F(DiscoveryTest, ListsItsPaths) {
  EXPECT_THAT(json::ToJson(Get("/").Get("paths")), HasSubstr("\"/apis/apps/v1\""));
}

TEST_F(DiscoveryTest, AccessReviewsAllowEverything) {
  constexpr char kReviews[] = "/apis/authorization.k8s.io/v1/";
  const std::string body = R"({"spec":{"resourceAttributes":{"verb":"get","resource":"pods"}}})";
  for (const char* name : {"selfsubjectaccessreviews", "subjectaccessreviews",
                           "namespaces/default/localsubjectaccessreviews"}) {
    const Value review = Post(std::string(kReviews) + name, body);
    EXPECT_TRUE(review.Get("status", "allowed").AsBool()) << name;
    EXPECT_EQ(review.Get("spec", "resourceAttributes", "verb").AsString(), "get");
  }
  const Value rules = Post(std::string(kReviews) + "selfsubjectrulesreviews",
                           R"({"spec":{"namespace":"default"}})");
  EXPECT_EQ(json::ToJson(rules.Get("status", "resourceRules")),
            R"([{"apiGroups":["*"],"resources":["*"],"verbs":["*"]}])");
  EXPECT_FALSE(rules.Get("status", "incomplete").AsBool());
}

TEST_F(DiscoveryTest, SelfSubjectReviewsReturnTheUser) {
  const Value me = Post("/apis/authentication.k8s.io/v1/selfsubjectreviews",
                        R"({"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"})");
  EXPECT_EQ(me.Get("status", "userInfo", "username").AsString(), "jane");
  EXPECT_EQ(me.Get("status", "userInfo", "groups").items().at(0).AsString(), "admins");
  EXPECT_TRUE(Post("/apis/authentication.k8s.io/v1/tokenreviews", R"({"spec":{"token":"t"}})")
                  .Get("status", "authenticated")
                  .AsBool());
}

TEST_F(DiscoveryTest, RefusesInvalidReviews) {
  constexpr char kPath[] = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
  EXPECT_EQ(Post(kPath, "{", 400).Get("reason").AsString(), "BadRequest");
  EXPECT_EQ(Post(kPath, "[]", 400).Get("reason").AsString(), "BadRequest");
  EXPECT_EQ(Post(kPath, R"({"kind":"Pod"})", 400).Get("reason").AsString(), "BadRequest");
  const Value neither = Post(kPath, R"({"spec":{}})", 422);
  EXPECT_EQ(neither.Get("reason").AsString(), "Invalid");
  EXPECT_THAT(neither.Get("message").AsString(),
              HasSubstr("exactly one of nonResourceAttributes or resourceAttributes"));
  const auto read = Request("GET", kPath);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->code, 405);
}

}  // namespace
}  // namespace capstan::testing::server
