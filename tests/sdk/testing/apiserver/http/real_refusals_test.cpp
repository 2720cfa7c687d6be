// Refusals and unusual answers of kube-apiserver for which capstan-differential found a difference.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/http/media_type.h"
#include "apiserver/storage/continue_token.h"
#include "apiserver/storage/reader.h"
#include "apiserver/validation/schema_instance.h"
#include "sdk/testing/apiserver/write_fixture.h"

namespace capstan::testing::server {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

class RealRefusals : public WriteTest {
 protected:
  Answer CreateNode(const std::string& ranges) {
    return Create("nodes", R"({"metadata":{"name":"n"},"spec":{"podCIDRs":)" + ranges + "}}");
  }
  Answer Scale(const std::string& metadata) {
    return Send({.verb = "update",
                 .resource = "deployments.apps",
                 .name = "web",
                 .body = R"({"metadata":{"name":"web",)" + metadata + R"(},"spec":{"replicas":2}})",
                 .subresource = "scale"});
  }
  Status GetEvent(const std::string& resource_version) {
    ApiRequest request;
    request.verb = "get";
    request.resource = Find("events");
    request.namespace_ = "default";
    request.name = "e";
    request.query = *Query::Parse("resourceVersion=" + resource_version);
    return Reader(store_).Get(request).status();
  }
};

TEST_F(RealRefusals, PodCidrsOfANodeAreValidated) {
  for (const std::string range : {"-x-", "10.0.0.0", "10.0.0.0/33", "10.0.0/8", "10.0.0.0/-1",
                                  "10.0.0.0/", "/8", "fd00::/129", "10.0.0.0/8x"}) {
    EXPECT_THAT(
        CreateNode("[\"" + range + "\"]").message(),
        HasSubstr("spec.podCIDRs[0]: Invalid value: \"" + range + "\": must be a valid CIDR"))
        << range;
  }
  EXPECT_THAT(CreateNode(R"(["10.0.0.0/24","10.0.1.0/24"])").message(),
              EndsWith("may specify no more than one CIDR for each IP family"));
  EXPECT_EQ(CreateNode(R"(["10.0.0.0/24","fd00::/64"])").code, 201);
}

TEST_F(RealRefusals, TheMetadataOfAScaleIsValidated) {
  ASSERT_EQ(Create("deployments.apps", Deployment("web")).code, 201);
  const Answer answer = Scale(R"("labels":{"a":"c d"})");
  EXPECT_EQ(answer.code, 422);
  EXPECT_THAT(answer.message(),
              StartsWith(R"(Scale.autoscaling "web" is invalid: metadata.labels)"));
  EXPECT_THAT(Scale(R"("finalizers":["bad"])").message(),
              EndsWith("name is neither a standard finalizer name nor is it fully qualified"));
  EXPECT_EQ(Scale(R"("labels":{"a":"b"})").code, 200);
}

TEST_F(RealRefusals, PortsWithTheSameNumberShareANodePort) {
  const Answer refused = Create("services", R"({"metadata":{"name":"s"},"spec":{"type":"NodePort",
      "ports":[{"port":80,"name":"a"},{"port":80,"name":"b"}]}})");
  EXPECT_THAT(refused.message(), HasSubstr("spec.ports[1].nodePort: Duplicate value: 3"));
  const Answer answer = Create("services", R"({"metadata":{"name":"s"},"spec":{"type":"NodePort",
      "ports":[{"port":53,"name":"a"},{"port":53,"name":"b","protocol":"UDP"},
               {"port":80,"name":"c"}]}})");
  ASSERT_EQ(answer.code, 201) << answer.message();
  const auto& ports = answer.object.Get("spec", "ports").items();
  EXPECT_EQ(ports.at(0).Get("nodePort"), ports.at(1).Get("nodePort"));
  EXPECT_FALSE(ports.at(0).Get("nodePort") == ports.at(2).Get("nodePort"));
}

TEST_F(RealRefusals, AServiceWithoutANameGetsNoAddress) {
  const Answer answer = Create("services", R"({"spec":{"ports":[{"port":0}]}})");
  ASSERT_EQ(answer.object.Get("details", "causes").items().size(), 1u) << answer.message();
  EXPECT_THAT(answer.message(), HasSubstr("spec.clusterIPs: Invalid value: [\"\"]: failed to "
                                          "allocate IP: IPAddress.networking.k8s.io"));
  EXPECT_THAT(Create("services", R"({"spec":{"ports":[{"port":80}]}})", "dryRun=All").message(),
              HasSubstr("metadata.name: Required value"));
  EXPECT_THAT(Create("services", R"({"spec":{"clusterIP":"None"}})").message(),
              HasSubstr("metadata.name: Required value"));
}

TEST_F(RealRefusals, ADefaultMustMatchItsSchema) {
  const auto define = [&](const std::string& version) {
    return Create("customresourcedefinitions.apiextensions.k8s.io",
                  R"({"metadata":{"name":"widgets.example.dev"},"spec":{"group":"example.dev",
                      "scope":"Namespaced","names":{"plural":"widgets","kind":"Widget"},
                      "versions":[)" +
                      version + "]}}");
  };
  const auto with_default = [&](const std::string& value) {
    return define(R"({"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":
        {"type":"object","properties":{"size":{"type":"integer","maximum":2,"default":)" +
                  value + "}}}}}");
  };
  EXPECT_THAT(with_default("3").message(),
              HasSubstr("openAPIV3Schema.properties[size].default: Invalid value: 3:  in body "
                        "should be less than or equal to 2"));
  EXPECT_THAT(with_default(R"("x")").message(), HasSubstr("properties[size].default: "));
  EXPECT_EQ(with_default("2").code, 201);
  EXPECT_THAT(define("{}").message(), Not(HasSubstr("spec.version:")));
}

TEST(RealInstances, ATooLargeWholeNumberIsNotAnInteger) {
  const auto errors = [](double value) {
    FieldErrors found;
    ValidateInstance(value, json::Value::Object({{"type", "integer"}}), "size", found);
    return found.empty() ? std::string() : found.ToString();
  };
  EXPECT_THAT(errors(1e20), HasSubstr("size in body must be of type integer: \"number\""));
  EXPECT_EQ(errors(9007199254740991), "");
}

TEST_F(RealRefusals, ACoreEventIsValidatedBeforeItsMetadata) {
  const std::string bad_labels = R"({"metadata":{"name":"e","labels":{"a b":"c"}})";
  const Answer both = Create("events", bad_labels + R"(,"involvedObject":{"namespace":"other"}})");
  EXPECT_THAT(both.message(), HasSubstr("does not match event.namespace"));
  EXPECT_EQ(both.object.Get("details", "causes").items().size(), 1u);
  EXPECT_THAT(
      Create("events", bad_labels + R"(,"involvedObject":{"namespace":"default"}})").message(),
      HasSubstr("metadata.labels"));
}

TEST_F(RealRefusals, EventFinalizersAreValidatedInTheNewerGroupOnly) {
  const std::string event = R"("involvedObject":{"namespace":"default"}})";
  ASSERT_EQ(Create("events", R"({"metadata":{"name":"e","finalizers":["bad"]},)" + event).code,
            201);
  EXPECT_EQ(Merge("events", "e", R"({"count":2})").code, 200);
  EXPECT_THAT(Merge("events.events.k8s.io", "e", R"({"series":null})").message(),
              HasSubstr("metadata.finalizers[0]: Invalid value: \"bad\""));
}

TEST_F(RealRefusals, ImmutableEventFieldsArePrintedLikeGoValues) {
  ASSERT_EQ(Create("events", R"({"metadata":{"name":"e"},"count":2,"message":"m",
      "source":{"component":"c"},"firstTimestamp":"2020-01-01T00:00:00Z",
      "involvedObject":{"namespace":"default","kind":"Pod"}})")
                .code,
            201);
  const Answer answer = Send({.verb = "update",
                              .resource = "events.events.k8s.io",
                              .name = "e",
                              .body = R"({"metadata":{"name":"e"},"regarding":{"kind":"Node",
                                          "namespace":"default"}})"});
  const std::string empty = R"("UID":"","APIVersion":"","ResourceVersion":"","FieldPath":""})";
  for (const std::string& text :
       {R"(involvedObject: Invalid value: {"Kind":"Node","Namespace":"default","Name":"",)" + empty,
        std::string(R"(message: Invalid value: "": field is immutable)"),
        std::string(R"(source: Invalid value: {"Component":"","Host":""}: field is immutable)"),
        std::string("firstTimestamp: Invalid value: null: field is immutable"),
        std::string("count: Invalid value: 0: field is immutable")}) {
    EXPECT_THAT(answer.message(), HasSubstr(text));
  }
}

TEST_F(RealRefusals, ARemovedSelectorIsPrintedAsNull) {
  ASSERT_EQ(Create("deployments.apps", Deployment("web")).code, 201);
  EXPECT_THAT(Merge("deployments.apps", "web", R"({"spec":{"selector":null}})").message(),
              HasSubstr("spec.selector: Invalid value: null: field is immutable"));
}

TEST_F(RealRefusals, AFutureVersionOfAnEventTimesOutWithoutRetryAfter) {
  EXPECT_EQ(GetEvent("abc").http_code(), 400);
  EXPECT_THAT(GetEvent("abc").message(), StartsWith("invalid resource version: resourceVersion: "));
  EXPECT_EQ(GetEvent("99999").http_code(), 504);
  EXPECT_FALSE(GetEvent("99999").retry_after());
}

TEST_F(RealRefusals, AnAppliedVersionMustBeANumber) {
  const Answer answer = Send({.verb = "apply",
                              .resource = "configmaps",
                              .name = "c",
                              .body = R"({"apiVersion":"v1","kind":"ConfigMap",
                                          "metadata":{"name":"c","resourceVersion":"abc"}})",
                              .query = "fieldManager=one"});
  EXPECT_EQ(answer.code, 500);
  EXPECT_EQ(answer.message(), R"(strconv.ParseUint: parsing "abc": invalid syntax)");
}

TEST_F(RealRefusals, AnInvalidJsonPatchOperationIsReportedByTheStrictDecoder) {
  ASSERT_EQ(Create("configmaps", ConfigMap("c")).code, 201);
  const auto patch = [&](const std::string& query) {
    return Send({.verb = "patch",
                 .resource = "configmaps",
                 .name = "c",
                 .body = "[{},1]",
                 .query = query,
                 .content_type = "application/json-patch+json"})
        .message();
  };
  EXPECT_EQ(patch("fieldValidation=Ignore"),
            "json: cannot unmarshal number into Go value of type jsonpatch.Operation");
  EXPECT_THAT(patch(""), EndsWith("into Go value of type handlers.jsonPatchOp"));
}

TEST_F(RealRefusals, TypeErrorsIncludeEmbeddedGoStructs) {
  const auto refusal = [&](const std::string& container, const std::string& more) {
    return Create("pods", R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c")" +
                              container + "}]" + more + "}}")
        .message();
  };
  EXPECT_THAT(refusal(R"(,"livenessProbe":{"exec":{"command":[1]}})", ""),
              HasSubstr("ExecAction.spec.containers.livenessProbe.ProbeHandler.exec.command of"));
  EXPECT_THAT(refusal(R"(,"livenessProbe":{"periodSeconds":"x"})", ""),
              HasSubstr("Probe.spec.containers.livenessProbe.periodSeconds of"));
  EXPECT_THAT(refusal("", R"(,"volumes":[{"name":"v","emptyDir":"x"}])"),
              HasSubstr("Volume.spec.volumes.VolumeSource.emptyDir of"));
  EXPECT_THAT(refusal("", R"(,"volumes":[{"name":1}])"), HasSubstr("Volume.spec.volumes.name of"));
}

TEST_F(RealRefusals, TypeErrorsNameTheGoTypes) {
  const auto refusal = [&](const std::string& resource, const std::string& spec) {
    return Create(resource, R"({"metadata":{"name":"a"},)" + spec + "}").message();
  };
  EXPECT_THAT(refusal("secrets", R"("type":1)"), EndsWith("Secret.type of type v1.SecretType"));
  EXPECT_THAT(refusal("services", R"("spec":{"ipFamilies":[1]})"),
              EndsWith("ServiceSpec.spec.ipFamilies of type v1.IPFamily"));
  EXPECT_THAT(refusal("services", R"("spec":{"ipFamilies":1})"),
              EndsWith("ServiceSpec.spec.ipFamilies of type []v1.IPFamily"));
  EXPECT_THAT(refusal("pods", R"("spec":{"overhead":1})"), EndsWith("of type v1.ResourceList"));
  EXPECT_THAT(refusal("services", R"("spec":{"externalName":1})"), EndsWith("of type string"));
}

TEST_F(RealRefusals, AnInvalidTimeIsQuotedByteByByte) {
  const Answer answer =
      Create("leases.coordination.k8s.io", R"({"metadata":{"name":"l"},"spec":{"renewTime":"ä"}})");
  EXPECT_THAT(answer.message(), HasSubstr(R"(parsing time "\xc3\xa4" as )"));
}

TEST_F(RealRefusals, AContinueTokenIsValidatedBeforeTheResourceVersion) {
  EXPECT_THAT(ContinueToken::Decode("abc0").status().message(),
              EndsWith("continue key is not valid: invalid character 'i' looking for beginning of "
                       "value"));
  ApiRequest request;
  request.verb = "list";
  request.resource = Find("pods");
  request.query = *Query::Parse("continue=e30&resourceVersion=5");
  EXPECT_THAT(Reader(store_).List(request).status().message(),
              HasSubstr("server does not recognize this encoded version"));
}

TEST_F(RealRefusals, ATlsSecretWithoutACertificateGetsAWarning) {
  const auto create = [&](const std::string& name, const std::string& certificate) {
    return Create("secrets", R"({"metadata":{"name":")" + name +
                                 R"("},"type":"kubernetes.io/tls","stringData":{"tls.crt":")" +
                                 certificate + R"(","tls.key":""}})");
  };
  EXPECT_THAT(create("a", "x").warnings,
              ElementsAre("tls: failed to find any PEM data in certificate input"));
  EXPECT_EQ(create("a", "x").warnings.size(), 1u);
  EXPECT_THAT(create("b", "-----BEGIN CERTIFICATE-----").warnings, IsEmpty());
}

TEST_F(RealRefusals, DuplicateMembersAreMerged) {
  const Answer answer = Create("configmaps", R"({"metadata":{"name":"a","labels":{"x":"1"}},
      "metadata":{"labels":{"y":"2"}},"metadata":null,"immutable":true,"immutable":false})");
  ASSERT_EQ(answer.code, 201) << answer.message();
  EXPECT_EQ(answer.object.Get("metadata", "name").AsString(), "a");
  EXPECT_EQ(json::ToJson(answer.object.Get("metadata", "labels")), R"({"x":"1","y":"2"})");
  EXPECT_FALSE(answer.object.Get("immutable").AsBool());
  EXPECT_THAT(answer.warnings, UnorderedElementsAre(R"(duplicate field "metadata")",
                                                    R"(duplicate field "immutable")"));
}

TEST_F(RealRefusals, AnUnpairedSurrogateIsReplaced) {
  const Answer answer = Create(
      "configmaps",
      R"({"metadata":{"name":"a"},"data":{"a":"\ud800","b":"\ud83d\ude00","c":"\\ud800","d":"\udc00x"}})");
  ASSERT_EQ(answer.code, 201) << answer.message();
  const json::Value& data = answer.object.Get("data");
  EXPECT_EQ(data.Get("a").AsString(), "\xef\xbf\xbd");
  EXPECT_EQ(data.Get("b").AsString(), "\xf0\x9f\x98\x80");
  EXPECT_EQ(data.Get("c").AsString(), "\\ud800");
  EXPECT_EQ(data.Get("d").AsString(), "\xef\xbf\xbdx");
}

TEST_F(RealRefusals, TextAfterAnAppliedDocumentIsIgnored) {
  const Answer answer =
      Send({.verb = "apply",
            .resource = "configmaps",
            .name = "c",
            .body = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},
                                          "data":{"a":"}]\""}}}})",
            .query = "fieldManager=one"});
  ASSERT_EQ(answer.code, 201) << answer.message();
  EXPECT_EQ(answer.object.Get("data", "a").AsString(), "}]\"");
}

TEST_F(RealRefusals, ADryRunDeletionThatRemovesTheLastFinalizerReturnsAnEmptyObject) {
  ASSERT_EQ(Create("configmaps", ConfigMap("c", R"(,"finalizers":["foregroundDeletion"])")).code,
            201);
  const Answer dry = Delete("configmaps", "c", "dryRun=All&propagationPolicy=Background");
  EXPECT_EQ(dry.code, 200);
  EXPECT_EQ(json::ToJson(dry.object), R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{}})");
  EXPECT_TRUE(Exists("configmaps", "c"));
}

TEST(RealMediaTypes, AreListedInTheErrorForCustomResources) {
  EXPECT_THAT(Negotiate("text/html", Endpoint::kObject, Encodings::kCustom).status().message(),
              StartsWith("only the following media types are accepted: application/json"));
  EXPECT_THAT(Negotiate("text/html", Endpoint::kObject).status().message(),
              StartsWith("406: Not Acceptable"));
}

}  // namespace
}  // namespace capstan::testing::server
