// Answers of kube-apiserver for which capstan-differential found a difference.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sdk/testing/apiserver/write_fixture.h"

namespace capstan::testing::server {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class RealAnswers : public WriteTest {
 protected:
  Answer CreateService(const std::string& spec) {
    return Create("services", R"({"metadata":{"name":"web"},"spec":)" + spec + "}");
  }
};

TEST_F(RealAnswers, AChangedClusterIpChangesTheList) {
  ASSERT_EQ(CreateService(R"({"ports":[{"port":80}]})").code, 201);
  const Answer answer = Merge("services", "web", R"({"spec":{"clusterIP":"10.0.0.77"}})");
  EXPECT_THAT(
      answer.message(),
      EndsWith(R"(spec.clusterIPs[0]: Invalid value: ["10.0.0.77"]: may not change once set)"));
}

TEST_F(RealAnswers, ChangingTheServiceTypeRemovesFieldsOfTheFormerType) {
  ASSERT_EQ(CreateService(R"({"ports":[{"port":80}],"type":"LoadBalancer"})").code, 201);
  const Answer answer = Merge("services", "web", R"({"spec":{"type":"ClusterIP"}})");
  ASSERT_EQ(answer.code, 200) << answer.message();
  const json::Value& spec = answer.object.Get("spec");
  EXPECT_EQ(spec.Find("externalTrafficPolicy"), nullptr);
  EXPECT_EQ(spec.Find("allocateLoadBalancerNodePorts"), nullptr);
  EXPECT_EQ(spec.Get("ports").items().at(0).Find("nodePort"), nullptr);
}

TEST_F(RealAnswers, AnAddedPortGetsItsOwnNodePort) {
  ASSERT_EQ(CreateService(R"({"ports":[{"port":80,"name":"a"}],"type":"NodePort"})").code, 201);
  const Answer answer = Merge(
      "services", "web", R"({"spec":{"ports":[{"port":81,"name":"b"},{"port":80,"name":"a"}]}})");
  ASSERT_EQ(answer.code, 200) << answer.message();
  const auto& ports = answer.object.Get("spec", "ports").items();
  EXPECT_NE(ports.at(0).Get("nodePort").AsInteger(), ports.at(1).Get("nodePort").AsInteger());
}

TEST_F(RealAnswers, LoadBalancerIngressIsValidated) {
  ASSERT_EQ(CreateService(R"({"ports":[{"port":80}],"type":"LoadBalancer"})").code, 201);
  const auto ingress = [&](const std::string& address) {
    return Merge("services", "web",
                 R"({"status":{"loadBalancer":{"ingress":[{"ip":")" + address + R"("}]}}})",
                 "status");
  };
  EXPECT_THAT(ingress("bad").message(), HasSubstr("status.loadBalancer.ingress[0].ip: Invalid"));
  const Answer answer = ingress("10.9.9.9");
  EXPECT_EQ(
      answer.object.Get("status", "loadBalancer", "ingress").items().at(0).Get("ipMode").AsString(),
      "VIP");
}

TEST_F(RealAnswers, AHeadlessServiceWithSessionAffinityGetsAWarning) {
  EXPECT_THAT(CreateService(R"({"ports":[{"port":80}],"clusterIP":"None",
                                "sessionAffinity":"ClientIP"})")
                  .warnings,
              ElementsAre("spec.SessionAffinity is ignored for headless services"));
}

TEST_F(RealAnswers, PodIpIsAddedToPodIps) {
  ASSERT_EQ(Create("pods", R"({"metadata":{"name":"p"},
      "spec":{"containers":[{"name":"c","image":"nginx"}]}})")
                .code,
            201);
  EXPECT_THAT(Merge("pods", "p", R"({"status":{"podIP":"bad"}})", "status").message(),
              HasSubstr("status.podIPs[0]: Invalid value: \"bad\""));
}

TEST_F(RealAnswers, AnApiVersionOfThreePartsIsRefused) {
  EXPECT_THAT(Create("pods", R"({"apiVersion":"a/b/c","kind":"Pod"})").message(),
              HasSubstr("unexpected GroupVersion string: a/b/c"));
}

TEST_F(RealAnswers, TheGivenGenerationIsKeptForKindsWithoutGeneration) {
  const Answer answer = Create("configmaps", R"({"metadata":{"name":"c","generation":5}})");
  EXPECT_EQ(answer.object.Get("metadata", "generation").AsInteger(), 5);
}

TEST_F(RealAnswers, AnAppliedConfigurationMustBeAnObject) {
  EXPECT_THAT(Send({.verb = "apply",
                    .resource = "configmaps",
                    .name = "c",
                    .body = "[1]",
                    .query = "fieldManager=one"})
                  .message(),
              EndsWith("cannot unmarshal array into Go value of type map[string]interface {}"));
}

TEST_F(RealAnswers, AnAppliedConfigurationOfWrongTypesIsAnInternalError) {
  const Answer answer = Send({.verb = "apply",
                              .resource = "configmaps",
                              .name = "c",
                              .body = R"({"apiVersion":"v1","kind":"ConfigMap",
                                          "metadata":{"name":"c"},"binaryData":{"a":"!"}})",
                              .query = "fieldManager=one"});
  EXPECT_EQ(answer.code, 500);
  EXPECT_THAT(answer.message(),
              StartsWith("failed to convert new object (/c; /v1, Kind=ConfigMap)"));
}

TEST_F(RealAnswers, ACoreEventCanHaveAnyName) {
  EXPECT_EQ(Create("events", R"({"metadata":{"name":"Any Name"},
      "involvedObject":{"namespace":"default"}})")
                .code,
            201);
}

}  // namespace
}  // namespace capstan::testing::server
