#include "apiserver/codec/decoding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "apiserver/codec/base64_text.h"
#include "apiserver/codec/json_syntax.h"
#include "apiserver/codec/quantity_text.h"
#include "apiserver/codec/time_text.h"
#include "sdk/testing/apiserver/json_values.h"

namespace capstan::testing::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const ObjectType& TypeNamed(std::string_view name) { return *SchemaSet::BuiltIn().Find(name); }

// The object decoded from a text, or the text of the error.
std::string Conformed(std::string_view type, std::string_view text,
                      FieldValidation validation = FieldValidation::kStrict) {
  std::vector<std::string> duplicates;
  Result<json::Value> value = ParseBody(text, "application/json", duplicates);
  if (!value.ok()) return value.status().message();
  const Result<Decoded> decoded =
      Conform(std::move(*value), TypeNamed(type), validation, duplicates);
  return decoded.ok() ? json::ToJson(decoded->object) : decoded.status().message();
}

std::string YamlAsJson(std::string_view text) {
  std::vector<std::string> duplicates;
  const Result<json::Value> value = ParseBody(text, "application/yaml", duplicates);
  return value.ok() ? json::ToJson(*value) : value.status().message();
}

// All texts here are those of kube-apiserver 1.36.3.
TEST(Conform, NamesTheFieldOfAWrongType) {
  const std::pair<const char*, const char*> kCases[] = {
      {R"({"spec":{"replicas":"3"}})",
       "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type "
       "int32"},
      {R"({"spec":{"replicas":1.5}})",
       "json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of "
       "type int32"},
      {R"({"spec":{"replicas":3000000000}})",
       "json: cannot unmarshal number 3000000000 into Go struct field "
       "DeploymentSpec.spec.replicas of type int32"},
      {R"({"metadata":{"labels":["a"]}})",
       "json: cannot unmarshal array into Go struct field ObjectMeta.metadata.labels of type "
       "map[string]string"},
      {R"({"metadata":{"labels":{"a":1}}})",
       "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type "
       "string"},
      {R"({"metadata":[]})",
       "json: cannot unmarshal array into Go struct field Deployment.metadata of type "
       "v1.ObjectMeta"},
      {R"({"spec":{"template":{"spec":{"containers":{"name":"c"}}}}})",
       "json: cannot unmarshal object into Go struct field PodSpec.spec.template.spec.containers "
       "of type []v1.Container"},
      {R"({"spec":{"template":{"spec":{"containers":[{"ports":[{"containerPort":"x"}]}]}}}})",
       "json: cannot unmarshal string into Go struct field "
       "ContainerPort.spec.template.spec.containers.ports.containerPort of type int32"},
      {R"({"spec":{"strategy":{"rollingUpdate":{"maxSurge":true}}}})",
       "json: cannot unmarshal bool into Go struct field "
       "RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32"},
      {R"({"metadata":{"creationTimestamp":5}})",
       "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp "
       "of type string"},
      {"[]", "json: cannot unmarshal array into Go value of type v1.Deployment"},
  };
  for (const auto& [text, error] : kCases) EXPECT_EQ(Conformed("apps/v1.Deployment", text), error);
}

TEST(Conform, ReportsAMalformedQuantityBeforeATypeError) {
  EXPECT_EQ(Conformed("v1.Pod", R"({"spec":{"containers":[{"image":5,"name":"c",
                                   "resources":{"limits":{"cpu":"abc"}}}]}})"),
            "quantities must match the regular expression "
            "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}

TEST(Conform, ListsAllUnknownAndRepeatedFieldsWhenStrict) {
  EXPECT_EQ(Conformed("apps/v1.Deployment",
                      R"({"foo":1,"spec":{"bar":1,"replicas":1,"replicas":2,"template":{"spec":
                          {"containers":[{"zot":1},{"zot":2}]}}}})"),
            "strict decoding error: duplicate field \"spec.replicas\", unknown field \"foo\", "
            "unknown field \"spec.bar\", "
            "unknown field \"spec.template.spec.containers[0].zot\", "
            "unknown field \"spec.template.spec.containers[1].zot\"");
}

TEST(Conform, WarnsOfUnknownAndRepeatedFields) {
  std::vector<std::string> duplicates;
  Result<json::Value> value =
      ParseBody(R"({"data":{"a":"1","a":"2"},"foo":1})", "application/json", duplicates);
  ASSERT_TRUE(value.ok());
  const Result<Decoded> decoded =
      Conform(*value, TypeNamed("v1.ConfigMap"), FieldValidation::kWarn, duplicates);
  ASSERT_TRUE(decoded.ok());
  EXPECT_THAT(decoded->warnings,
              ElementsAre("duplicate field \"data.a\"", "unknown field \"foo\""));
  EXPECT_EQ(json::ToJson(decoded->object), R"({"data":{"a":"2"},"metadata":{}})");
}

TEST(Conform, WarnsOfAHundredRepeatedFieldsAtMost) {
  // All paths together would take 7 GB.
  const std::string key(300'000, 'k');
  std::string text = "{\"" + key + "\":{\"a\":1";
  for (int i = 0; i < 50'000; ++i) text += ",\"" + std::to_string(i % 25'000) + "\":1";
  std::vector<std::string> duplicates;
  ASSERT_TRUE(ParseBody(text + "}}", "application/json", duplicates).ok());
  EXPECT_EQ(duplicates.size(), 100U);
  EXPECT_EQ(duplicates[0], key + ".0");
}

TEST(Conform, IgnoresUnknownFieldsOnRequest) {
  EXPECT_EQ(Conformed("v1.ConfigMap", R"({"foo":1})", FieldValidation::kIgnore),
            R"({"metadata":{}})");
}

TEST(Conform, ListsNoMoreThanAHundredStrictErrors) {
  std::string text = "{";
  for (int i = 100; i < 350; ++i) {
    text += (i > 100 ? "," : "") + ("\"f" + std::to_string(i)) + "\":1";
  }
  const std::string error = Conformed("v1.ConfigMap", text + "}");
  EXPECT_THAT(error, HasSubstr("\"f199\""));
  EXPECT_EQ(error.find("\"f200\""), std::string::npos);
}

TEST(Conform, DropsAndAddsZeroValuesLikeTheApi) {
  EXPECT_EQ(Conformed("apps/v1.Deployment",
                      R"({"metadata":{"name":"a","labels":{},"finalizers":null,
                          "creationTimestamp":null},
                          "spec":{"replicas":0,"paused":false,"minReadySeconds":0,
                          "revisionHistoryLimit":null,"selector":{},"template":{"spec":{
                          "containers":[{"name":"c","command":[],"stdin":false}],
                          "volumes":[{"name":"v","emptyDir":{}}]}}}})"),
            R"({"metadata":{"name":"a"},"spec":{"replicas":0,"selector":{},"strategy":{},)"
            R"("template":{"metadata":{},"spec":{"containers":[{"name":"c","resources":{}}],)"
            R"("volumes":[{"emptyDir":{},"name":"v"}]}}},"status":{}})");
}

TEST(Conform, AddsZeroTimesLikeTheApi) {
  EXPECT_EQ(
      Conformed("v1.Pod", R"({"status":{"conditions":[{"type":"Ready","status":"True"}]},
                                    "spec":{"containers":null}})"),
      R"({"metadata":{},"spec":{"containers":null},"status":{"conditions":[)"
      R"({"lastProbeTime":null,"lastTransitionTime":null,"status":"True","type":"Ready"}]}})");
}

TEST(Conform, ReadsNullElementsAsZeroValues) {
  EXPECT_EQ(Conformed("v1.ConfigMap", R"({"data":{"a":null,"b":"x"}})"),
            R"({"data":{"a":"","b":"x"},"metadata":{}})");
  EXPECT_EQ(Conformed("v1.Pod", R"({"spec":{"containers":[null]}})"),
            R"({"metadata":{},"spec":{"containers":[{"name":"","resources":{}}]},"status":{}})");
}

TEST(Conform, LeavesAValidObjectUnchanged) {
  const json::Value before =
      Json(R"({"data":{"a":"1"},"metadata":{"labels":{"a":"b"},"name":"x"}})");
  const Result<Decoded> decoded =
      Conform(before, TypeNamed("v1.ConfigMap"), FieldValidation::kStrict);
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(&decoded->object.members(), &before.members()) << "it was copied";
}

TEST(Conform, WritesQuantitiesAndTimesInCanonicalForm) {
  EXPECT_EQ(Conformed("v1.Pod", R"({"spec":{"containers":[{"name":"c","resources":{"limits":{
                                   "cpu":0.5,"memory":" 1024Mi "}}}]},
                                   "metadata":{"creationTimestamp":"2026-01-01T01:00:00+02:00"}})"),
            R"({"metadata":{"creationTimestamp":"2025-12-31T23:00:00Z"},"spec":{"containers":[)"
            R"({"name":"c","resources":{"limits":{"cpu":"500m","memory":"1Gi"}}}]},"status":{}})");
}

TEST(ApplySchemaDefaults, FillsFieldsOfExistingObjects) {
  json::Value pod = Json(R"({"spec":{"containers":[{"name":"c","ports":[{"containerPort":1}],
                              "livenessProbe":{"httpGet":{"port":1},"periodSeconds":7}}]}})");
  ApplySchemaDefaults(pod, TypeNamed("v1.Pod"));
  EXPECT_EQ(json::ToJson(pod),
            R"({"spec":{"containers":[{"livenessProbe":{"failureThreshold":3,"httpGet":{)"
            R"("path":"/","port":1,"scheme":"HTTP"},"periodSeconds":7,"successThreshold":1,)"
            R"("timeoutSeconds":1},"name":"c","ports":[{"containerPort":1,"protocol":"TCP"}],)"
            R"("terminationMessagePath":"/dev/termination-log",)"
            R"("terminationMessagePolicy":"File"}],"dnsPolicy":"ClusterFirst",)"
            R"("restartPolicy":"Always","schedulerName":"default-scheduler",)"
            R"("securityContext":{},"terminationGracePeriodSeconds":30}})");
}

TEST(ApplySchemaDefaults, KeepsAnExplicitZero) {
  json::Value deployment = Json(R"({"spec":{"replicas":0,"revisionHistoryLimit":0}})");
  ApplySchemaDefaults(deployment, TypeNamed("apps/v1.Deployment"));
  EXPECT_EQ(deployment.Get("spec", "replicas").AsInteger(), 0);
  EXPECT_EQ(deployment.Get("spec", "revisionHistoryLimit").AsInteger(), 0);
  EXPECT_EQ(deployment.Get("spec", "progressDeadlineSeconds").AsInteger(), 600);
}

TEST(Quantity, IsWrittenInCanonicalForm) {
  const std::pair<const char*, const char*> kCases[] = {
      {"0.5", "500m"},       {"1024Mi", "1Gi"},      {"1000m", "1"},
      {"1.5Gi", "1536Mi"},   {"1536Ki", "1536Ki"},   {"0.5Ki", "512"},
      {"1e3", "1e3"},        {"100e-1", "10"},       {"0.1n", "1n"},
      {"-1.5Gi", "-1536Mi"}, {"1.500", "1.500"},     {"0.1Ki", "102400m"},
      {"1000k", "1M"},       {"1e30", "1e30"},       {"0Ki", "0"},
      {"1e-3000", "1e-9"},   {".5", "500m"},         {"10Ei", "9223372036854775807"},
      {"+1", "+1"},          {"1.0001", "1000100u"},
  };
  for (const auto& [text, canonical] : kCases) {
    const Result<std::string> result = CanonicalQuantityText(text);
    EXPECT_TRUE(result.ok() && *result == canonical)
        << text << ": " << (result.ok() ? *result : result.status().message());
  }
}

TEST(Quantity, IsRefusedWithTheMessageOfTheApi) {
  for (const char* text : {"", "abc", "1 Gi", "1gi", "1.2.3", "0x1"}) {
    EXPECT_THAT(CanonicalQuantityText(text).status().message(),
                HasSubstr("quantities must match the regular expression"))
        << text;
  }
  for (const char* text : {"1e", "1m5", "1Mi5", "1e99999999999"}) {
    EXPECT_EQ(CanonicalQuantityText(text).status().message(), "unable to parse quantity's suffix")
        << text;
  }
  EXPECT_FALSE(CanonicalQuantityText(std::string(5000, '9')).ok());
}

TEST(Time, IsWrittenInUtcWithThePrecisionOfTheApi) {
  const auto seconds = [](std::string_view text) { return *CanonicalTimeText(text, false); };
  EXPECT_EQ(seconds("2026-01-01T00:00:00.999Z"), "2026-01-01T00:00:00Z");
  EXPECT_EQ(seconds("2024-02-29T23:59:59-00:30"), "2024-03-01T00:29:59Z");
  EXPECT_EQ(seconds("0001-01-01T00:00:00Z"), "");
  EXPECT_EQ(*CanonicalTimeText("2026-01-01T02:00:00.123456+02:00", true),
            "2026-01-01T00:00:00.123456Z");
}

TEST(Time, IsRefusedWithTheMessageOfTheApi) {
  const auto error = [](std::string_view text, bool micro = false) {
    return CanonicalTimeText(text, micro).status().message();
  };
  EXPECT_EQ(error("yesterday"),
            "parsing time \"yesterday\" as \"2006-01-02T15:04:05Z07:00\": cannot parse "
            "\"yesterday\" as \"2006\"");
  EXPECT_EQ(error("2026-13-01T00:00:00Z"),
            "parsing time \"2026-13-01T00:00:00Z\": month out of range");
  EXPECT_EQ(error("2026-02-30T00:00:00Z"),
            "parsing time \"2026-02-30T00:00:00Z\": day out of range");
  EXPECT_EQ(error("2026-01-01T00:00:00Zx"),
            "parsing time \"2026-01-01T00:00:00Zx\": extra text: \"x\"");
  EXPECT_EQ(error("2026-01-01T00:00:00Z", true),
            "parsing time \"2026-01-01T00:00:00Z\" as \"2006-01-02T15:04:05.000000Z07:00\": "
            "cannot parse \"Z\" as \".000000\"");
}

TEST(Time, IsRefusedOutsideTheRangeOfUtc) {
  for (const char* text : {"9999-12-31T23:59:59-23:59", "0000-01-01T00:00:00+00:01"}) {
    const auto read = CanonicalTimeText(text, false);
    ASSERT_FALSE(read.ok()) << *read;
    EXPECT_EQ(read.status().http_code(), 400);
    EXPECT_THAT(read.status().message(), HasSubstr("year outside of range [0,9999]"));
  }
  EXPECT_EQ(*CanonicalTimeText("9999-12-31T23:59:59Z", false), "9999-12-31T23:59:59Z");
}

TEST(Base64, IsWrittenWithoutLineBreaksAndPaddingBits) {
  EXPECT_EQ(*CanonicalBase64Text("aGk=\n"), "aGk=");
  EXPECT_EQ(*CanonicalBase64Text("aa=="), "aQ==");
  EXPECT_EQ(*CanonicalBase64Text(""), "");
}

TEST(Base64, IsRefusedWithTheOffsetOfTheError) {
  const std::pair<const char*, int> kCases[] = {
      {"aGk", 0},  {"a", 0}, {"aa=", 3},   {"a===", 1},
      {"a*aa", 1}, {"=", 0}, {"aaaab", 4}, {"YQ==YQ==", 4},
  };
  for (const auto& [text, place] : kCases) {
    EXPECT_EQ(CanonicalBase64Text(text).status().message(),
              "illegal base64 data at input byte " + std::to_string(place))
        << text;
  }
}

TEST(JsonSyntaxError, HasTheMessageOfTheApi) {
  const std::pair<const char*, const char*> kCases[] = {
      {"{\"a\":1,}", "invalid character '}' looking for beginning of object key string"},
      {"{\"a\"", "unexpected end of JSON input"},
      {"", "unexpected end of JSON input"},
      {"hello", "invalid character 'h' looking for beginning of value"},
      {"{} x", "invalid character 'x' after top-level value"},
      {"[1 2]", "invalid character '2' after array element"},
      {"{\"a\" 1}", "invalid character '1' after object key"},
      {"{\"a\":1 2}", "invalid character '2' after object key:value pair"},
      {"tru3", "invalid character '3' in literal true (expecting 'e')"},
      {"\"\\x\"", "invalid character 'x' in string escape code"},
      {"\"\\u12g\"", "invalid character 'g' in \\u hexadecimal character escape"},
      {"\"a\nb\"", "invalid character '\\n' in string literal"},
      {"-x", "invalid character 'x' in numeric literal"},
      {"1.x", "invalid character 'x' after decimal point in numeric literal"},
      {"1ex", "invalid character 'x' in exponent of numeric literal"},
      {"01", "invalid character '1' after top-level value"},
      {"[{\"a\":[true,null,-1.5e+3,\"\\u00e9\"]}]", ""},
  };
  for (const auto& [text, error] : kCases) EXPECT_EQ(JsonSyntaxError(text), error) << text;
}

TEST(JsonSyntaxError, HandlesAnyDepth) {
  EXPECT_EQ(JsonSyntaxError(std::string(1'000'000, '[')), "unexpected end of JSON input");
}

TEST(Yaml, IsReadLikeTheApi) {
  EXPECT_EQ(YamlAsJson("a: 1\nb: [x, 'y', \"1\", 1.5, yes, ~, 0x10, 010]\nc:\n  d: 2020-01-01\n"),
            R"({"a":1,"b":["x","y","1",1.5,true,null,16,8],"c":{"d":"2020-01-01"}})");
  EXPECT_EQ(YamlAsJson("1: a\ntrue: b\n"), R"({"1":"a","true":"b"})");
  EXPECT_EQ(YamlAsJson("x: &x {a: 1, b: 2}\nz: {<<: *x, b: 3}\n"),
            R"({"x":{"a":1,"b":2},"z":{"a":1,"b":3}})");
  EXPECT_EQ(YamlAsJson("a: 1\n---\nb: 2\n"), R"({"a":1})");
  EXPECT_EQ(YamlAsJson("{\"a\": [1, 2]}"), R"({"a":[1,2]})");
}

TEST(Yaml, ARepeatedKeyIsAStrictError) {
  std::vector<std::string> duplicates;
  Result<json::Value> value =
      ParseBody("data:\n  a: x\n  a: z\n", "application/yaml; charset=utf-8", duplicates);
  ASSERT_TRUE(value.ok());
  EXPECT_THAT(duplicates,
              ElementsAre("yaml: unmarshal errors:\n  line 3: key \"a\" already set in map"));
  const Result<Decoded> decoded =
      Conform(*value, TypeNamed("v1.ConfigMap"), FieldValidation::kStrict, duplicates);
  EXPECT_THAT(decoded.status().message(), HasSubstr("strict decoding error: yaml: unmarshal"));
}

TEST(Yaml, MalformedOrHostileInputIsABadRequest) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
    for (int j = 0; j < 9; ++j) bomb += ", " + last;
    bomb += "]\n";
  }
  std::vector<std::string> duplicates;
  for (const std::string& text :
       {bomb, std::string("a: [1"), std::string("a: b: c"), std::string("? [a]\n: b"),
        std::string(20'000, '['), std::string("a: &a [*a]")}) {
    const Result<json::Value> value = ParseBody(text, "application/yaml", duplicates);
    ASSERT_FALSE(value.ok()) << text.substr(0, 60);
    EXPECT_EQ(value.status().http_code(), 400);
    EXPECT_THAT(value.status().message(), HasSubstr("error converting YAML to JSON: yaml: "));
  }
}

TEST(Json, TooDeepNestingIsABadRequest) {
  std::vector<std::string> duplicates;
  const std::string text = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_EQ(ParseBody(text, "application/json", duplicates).status().http_code(), 400);
  EXPECT_THAT(duplicates, IsEmpty());
}

}  // namespace
}  // namespace capstan::testing::server
