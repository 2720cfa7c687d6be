#include "apiserver/subresource/scale.h"

#include <gmock/gmock.h>

#include "sdk/testing/apiserver/write_fixture.h"

namespace capstan::testing::server {
namespace {

using ::testing::HasSubstr;

class Scale : public WriteTest {
 protected:
  Scale() { EXPECT_EQ(Create("deployments.apps", Deployment("web")).code, 201); }
  Answer Call(const std::string& verb, const std::string& body = {}) {
    return Send(
        {.verb = verb,
         .resource = "deployments.apps",
         .name = "web",
         .body = body,
         .content_type = verb == "patch" ? "application/merge-patch+json" : "application/json",
         .subresource = "scale"});
  }
};

TEST_F(Scale, ShowsReplicasAndSelector) {
  const Answer answer = Call("get");
  ASSERT_EQ(answer.code, 200) << answer.message();
  EXPECT_EQ(answer.object.Get("apiVersion").AsString(), "autoscaling/v1");
  EXPECT_EQ(answer.object.Get("kind").AsString(), "Scale");
  EXPECT_EQ(answer.object.Get("spec", "replicas").AsInteger(), 1);
  EXPECT_EQ(answer.object.Get("status", "selector").AsString(), "app=web");
  EXPECT_EQ(answer.object.Get("metadata", "uid").AsString(), UidOf("deployments.apps", "web"));
}

TEST_F(Scale, SetsTheReplicasOfTheObject) {
  const Answer answer = Call("update", R"({"metadata":{"name":"web"},"spec":{"replicas":5}})");
  ASSERT_EQ(answer.code, 200) << answer.message();
  EXPECT_EQ(answer.object.Get("spec", "replicas").AsInteger(), 5);
  const json::Value object = Stored("deployments.apps", "web");
  EXPECT_EQ(object.Get("spec", "replicas").AsInteger(), 5);
  EXPECT_EQ(object.Get("metadata", "generation").AsInteger(), 2);
}

TEST_F(Scale, MissingReplicasMeanZero) {
  ASSERT_EQ(Call("update", R"({"metadata":{"name":"web"},"spec":{}})").code, 200);
  EXPECT_EQ(Stored("deployments.apps", "web").Get("spec", "replicas").AsInteger(), 0);
}

TEST_F(Scale, CanBePatched) {
  const Answer answer = Call("patch", R"({"spec":{"replicas":7}})");
  ASSERT_EQ(answer.code, 200) << answer.message();
  EXPECT_EQ(Stored("deployments.apps", "web").Get("spec", "replicas").AsInteger(), 7);
}

TEST_F(Scale, AStaleVersionIsAConflict) {
  const Answer answer =
      Call("update", R"({"metadata":{"name":"web","resourceVersion":"1"},"spec":{"replicas":5}})");
  EXPECT_EQ(answer.code, 409);
}

TEST_F(Scale, NegativeReplicasAreInvalid) {
  const Answer answer = Call("patch", R"({"spec":{"replicas":-1}})");
  EXPECT_EQ(answer.code, 422);
  EXPECT_THAT(answer.message(),
              HasSubstr(R"(Scale.autoscaling "web" is invalid: spec.replicas: Invalid value: -1)"));
}

TEST_F(Scale, AMissingObjectIsNotFound) {
  EXPECT_EQ(
      Send({.verb = "get", .resource = "deployments.apps", .name = "none", .subresource = "scale"})
          .code,
      404);
}

TEST_F(Scale, AKindWithoutScaleHasNoPath) {
  ASSERT_EQ(Create("configmaps", ConfigMap("a")).code, 201);
  EXPECT_EQ(
      Send({.verb = "get", .resource = "configmaps", .name = "a", .subresource = "scale"}).code,
      404);
}

TEST(SelectorText, ListsRequirementsInKeyOrder) {
  EXPECT_EQ(SelectorText(Json(R"({"matchLabels":{"b":"2","a":"1"},"matchExpressions":[)"
                              R"({"key":"d","operator":"DoesNotExist"},)"
                              R"({"key":"c","operator":"In","values":["y","x"]},)"
                              R"({"key":"e","operator":"NotIn","values":["z"]},)"
                              R"({"key":"f","operator":"Exists"}]})")),
            "a=1,b=2,c in (x,y),!d,e notin (z),f");
  EXPECT_EQ(SelectorText(json::Value()), "");
}

}  // namespace
}  // namespace capstan::testing::server
