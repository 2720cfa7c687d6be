#include "apiserver/codec/protobuf_encoder.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/codec/protobuf_body.h"
#include "json/value.h"
#include "support/protobuf_bytes.h"

namespace capstan::testing::server {
namespace {

using json::Value;
using ::testing::HasSubstr;

std::string EncodedJson(const std::string& text) {
  const auto value = json::ParseValue(text);
  EXPECT_TRUE(value.ok()) << value.status().message();
  auto bytes = ProtobufOf(value->value);
  EXPECT_TRUE(bytes.ok()) << bytes.status().message();
  return bytes.ok() ? *std::move(bytes) : std::string();
}

// The object after a way there and back.
std::string ThereAndBack(const std::string& text) {
  const auto decoded = JsonOfProtobuf(EncodedJson(text));
  EXPECT_TRUE(decoded.ok()) << decoded.status().message();
  return decoded.ok() && *decoded ? **decoded : std::string();
}

TEST(ProtobufEncoder, WritesFieldsThatAreNoPointersAlsoWhenTheyAreZero) {
  const std::string list_meta = Bytes(1, "") + Bytes(2, "7") + Bytes(3, "");
  EXPECT_EQ(EncodedJson(R"({"apiVersion":"v1","kind":"Status","metadata":{"resourceVersion":"7"},
                            "status":"Failure","code":404})"),
            Enveloped("v1", "Status",
                      Bytes(1, list_meta) + Bytes(2, "Failure") + Bytes(3, "") + Bytes(4, "") +
                          Number(6, 404)) +
                Bytes(3, "") + Bytes(4, ""));
}

TEST(ProtobufEncoder, KeepsWhatTheDecoderReads) {
  for (const char* text :
       {R"({"apiVersion":"v1","kind":"Pod","metadata":{"annotations":{"a":"b"},)"
        R"("creationTimestamp":"2026-01-02T03:04:05Z","labels":{"app":"web"},"name":"web",)"
        R"("ownerReferences":[{"apiVersion":"apps/v1","controller":true,"kind":"ReplicaSet",)"
        R"("name":"w","uid":"u"}]},"spec":{"activeDeadlineSeconds":0,"containers":[{"name":"main",)"
        R"("resources":{"limits":{"cpu":"500m"}}}],"volumes":[{"emptyDir":{},"name":"v"}]},)"
        R"("status":{"startTime":"1970-01-01T00:00:00Z"}})",
        R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{)"
        R"("replicas":0,"selector":{"matchLabels":{"app":"web"}},"strategy":{"rollingUpdate":{)"
        R"("maxSurge":"25%","maxUnavailable":1}}}})",
        R"({"apiVersion":"v1","data":{"k":"Af8="},"kind":"Secret","type":"Opaque"})",
        R"({"apiVersion":"apps/v1","data":{"spec":[1,"x",null]},"kind":"ControllerRevision",)"
        R"("revision":3})",
        R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","spec":{"holderIdentity":"",)"
        R"("leaseTransitions":0,"renewTime":"1969-12-31T23:59:59.999999Z"}})"}) {
    const Value back = json::ParseValue(ThereAndBack(text))->value;
    const Value sent = json::ParseValue(text)->value;
    for (const json::Member& member : sent.members()) {
      if (member.key == "metadata" || member.key == "spec") {
        for (const json::Member& inner : member.value.members()) {
          EXPECT_EQ(back.Get(member.key, inner.key), inner.value) << member.key << inner.key;
        }
      } else {
        EXPECT_EQ(back.Get(member.key), member.value) << member.key;
      }
    }
  }
}

TEST(ProtobufEncoder, WritesListsWithTheirMetadata) {
  const std::string list = EncodedJson(
      R"({"apiVersion":"v1","kind":"NodeList","metadata":{"resourceVersion":"9","continue":"c"},
          "items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]})");
  EXPECT_THAT(list, HasSubstr(Bytes(1, "v1") + Bytes(2, "NodeList")));
  EXPECT_THAT(list, HasSubstr(Bytes(1, Bytes(1, "") + Bytes(2, "9") + Bytes(3, "c"))));
  EXPECT_LT(list.find(Bytes(1, "a")), list.find(Bytes(1, "b")));
}

TEST(ProtobufEncoder, WritesMetadataOfAnyKind) {
  const std::string one = EncodedJson(
      R"({"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata","metadata":{"name":"a"}})");
  EXPECT_THAT(one, HasSubstr(Bytes(1, "meta.k8s.io/v1") + Bytes(2, "PartialObjectMetadata")));
  const std::string all = EncodedJson(
      R"({"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadataList",
          "metadata":{"resourceVersion":"9"},"items":[{"metadata":{"name":"a"}}]})");
  EXPECT_THAT(all, HasSubstr(Bytes(2, "9")));
  EXPECT_THAT(all, HasSubstr(Bytes(1, "a")));
}

TEST(ProtobufEncoder, HasNoFormForCustomKindsAndJsonSchemas) {
  EXPECT_TRUE(HasProtobufForm("apps/v1", "Deployment"));
  EXPECT_FALSE(HasProtobufForm("example.dev/v1", "Widget"));
  EXPECT_FALSE(HasProtobufForm("apiextensions.k8s.io/v1", "CustomResourceDefinition"));
  const auto widget =
      ProtobufOf(Value::Object({{"apiVersion", "example.dev/v1"}, {"kind", "Widget"}}));
  EXPECT_EQ(widget.status().http_code(), 406);
}

TEST(ProtobufEncoder, PutsTheLengthBeforeAnEvent) {
  EXPECT_EQ(ProtobufEvent("ADDED", "object"), WatchFrameOf("ADDED", "object"));
  const std::string large(70'000, 'x');
  EXPECT_EQ(ProtobufEvent("ADDED", large), WatchFrameOf("ADDED", large));
}

}  // namespace
}  // namespace capstan::testing::server
