#include "apiserver/codec/protobuf_body.h"

#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/schema/schema.h"
#include "json/value.h"
#include "support/protobuf_bytes.h"

namespace capstan::testing::server {
namespace {

using json::Value;

Value DecodedBody(const std::string& body) {
  auto text = JsonOfProtobuf(body);
  EXPECT_TRUE(text.ok()) << text.status().message();
  if (!text || !*text) return {};
  auto parsed = json::ParseValue(**text);
  EXPECT_TRUE(parsed.ok()) << **text;
  return parsed ? parsed->value : Value();
}

TEST(ProtobufBody, DecodesToTheSameObjectAsJson) {
  const std::string labels = Bytes(11, Bytes(1, "app") + Bytes(2, "web"));
  const std::string metadata = Bytes(1, "web") + Bytes(2, "") + Bytes(8, "") + labels;
  const std::string surge = Number(1, 1) + Number(2, 0) + Bytes(3, "25%");
  const std::string strategy = Bytes(1, "RollingUpdate") + Bytes(2, Bytes(2, surge));
  const std::string limits = Bytes(1, Bytes(1, "cpu") + Bytes(2, Bytes(1, "500m")));
  const std::string container = Bytes(1, "main") + Bytes(2, "nginx") + Bytes(8, limits);
  const std::string template_ = Bytes(2, Bytes(2, container));
  const std::string spec = Number(1, 3) + Bytes(3, template_) + Bytes(4, strategy) + Number(5, 0);
  const Value object =
      DecodedBody(Enveloped("apps/v1", "Deployment", Bytes(1, metadata) + Bytes(2, spec)));
  EXPECT_EQ(object.Get("kind").AsString(), "Deployment");
  EXPECT_EQ(object.Get("apiVersion").AsString(), "apps/v1");
  EXPECT_EQ(json::ToJson(object.Get("metadata")), R"({"labels":{"app":"web"},"name":"web"})");
  EXPECT_EQ(object.Get("spec", "replicas").AsInteger(), 3);
  EXPECT_EQ(json::ToJson(object.Get("spec", "strategy")),
            R"({"rollingUpdate":{"maxSurge":"25%"},"type":"RollingUpdate"})");
  const Value& main = object.Get("spec", "template", "spec", "containers").items().at(0);
  EXPECT_EQ(main.Get("image").AsString(), "nginx");
  EXPECT_EQ(main.Get("resources", "limits", "cpu").AsString(), "500m");
  EXPECT_EQ(object.Get("spec").Find("minReadySeconds"), nullptr) << "a zero is left out";
}

TEST(ProtobufBody, DecodesEmbeddedMessages) {
  const std::string volume = Bytes(1, "v") + Bytes(2, Bytes(19, Bytes(1, Bytes(1, "settings"))));
  const Value object = DecodedBody(Enveloped("v1", "Pod", Bytes(2, Bytes(1, volume))));
  EXPECT_EQ(json::ToJson(object.Get("spec", "volumes")),
            R"([{"configMap":{"name":"settings"},"name":"v"}])");
}

TEST(ProtobufBody, DecodesTimesAndBytes) {
  const std::string secret =
      Bytes(1, Bytes(8, Number(1, 1767323045))) + Bytes(2, Bytes(1, "k") + Bytes(2, "\x01\xff"));
  const Value object = DecodedBody(Enveloped("v1", "Secret", secret));
  EXPECT_EQ(object.Get("metadata", "creationTimestamp").AsString(), "2026-01-02T03:04:05Z");
  EXPECT_EQ(object.Get("data", "k").AsString(), "Af8=");
}

TEST(ProtobufBody, DecodesNegativeNumbers) {
  const Value object = DecodedBody(Enveloped("apps/v1", "ReplicaSet", Bytes(2, Number(1, -1))));
  EXPECT_EQ(object.Get("spec", "replicas").AsInteger(), -1);
}

TEST(ProtobufBody, DecodesOptionsOfAnyGroup) {
  const Value object = DecodedBody(Enveloped("apps/v1", "DeleteOptions", Bytes(4, "Foreground")));
  EXPECT_EQ(object.Get("propagationPolicy").AsString(), "Foreground");
  EXPECT_EQ(object.Get("apiVersion").AsString(), "apps/v1");
}

TEST(ProtobufBody, DecodesTokenRequests) {
  const std::string bound = Bytes(1, "Pod") + Bytes(2, "v1") + Bytes(3, "web") + Bytes(4, "u");
  const std::string spec = Bytes(1, "vault") + Bytes(3, bound) + Number(4, 600);
  const Value object =
      DecodedBody(Enveloped("authentication.k8s.io/v1", "TokenRequest", Bytes(2, spec)));
  EXPECT_EQ(json::ToJson(object.Get("spec")),
            R"({"audiences":["vault"],"boundObjectRef":{"apiVersion":"v1","kind":"Pod",)"
            R"("name":"web","uid":"u"},"expirationSeconds":600})");
}

TEST(ProtobufBody, SkipsUnknownFields) {
  const Value object = DecodedBody(
      Enveloped("v1", "ConfigMap", Bytes(1999, "x") + Bytes(1, Bytes(1, "a") + Number(900, 7))));
  EXPECT_EQ(json::ToJson(object.Get("metadata")), R"({"name":"a"})");
}

TEST(ProtobufBody, SortsMapEntriesAndKeepsTheLastOfEachKey) {
  std::string labels;
  for (const char* entry : {"c1", "a1", "b1", "a2", "c2"}) {
    labels += Bytes(11, Bytes(1, std::string(1, entry[0])) + Bytes(2, entry));
  }
  const Value object = DecodedBody(Enveloped("v1", "ConfigMap", Bytes(1, labels)));
  EXPECT_EQ(json::ToJson(object.Get("metadata", "labels")), R"({"a":"a2","b":"b1","c":"c2"})");
}

TEST(ProtobufBody, DecodesALongUnsortedMapQuickly) {
  constexpr int kCount = 200'000;
  std::string data;
  for (int i = kCount; i > 0; --i) {
    data += Bytes(2, Bytes(1, std::to_string(1'000'000 + i)));
  }
  const Value object = DecodedBody(Enveloped("v1", "ConfigMap", data));
  EXPECT_EQ(object.Get("data").members().size(), size_t{kCount});
}

TEST(ProtobufBody, IsNotDecodedForAKindWithoutProtobuf) {
  const auto text = JsonOfProtobuf(Enveloped("example.com/v1", "Widget", ""));
  ASSERT_TRUE(text.ok());
  EXPECT_FALSE(text->has_value());
}

TEST(ProtobufBody, MalformedInputIsABadRequest) {
  const std::string good =
      Enveloped("v1", "Pod", Bytes(1, Bytes(1, "a")) + Bytes(2, Bytes(2, Bytes(1, "c"))));
  ASSERT_TRUE(JsonOfProtobuf(good).ok());
  for (const std::string& bad :
       {std::string(), std::string("k8s"), std::string("{}"), good.substr(0, good.size() - 1),
        Enveloped("v1", "Pod", "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"),
        Enveloped("v1", "Pod", "\x0b"), Enveloped("v1", "Pod", std::string(1, '\0')),
        Enveloped("v1", "Pod", Bytes(1, Bytes(8, Number(1, INT64_MAX)))),
        Enveloped("v1", "Pod", Bytes(1, Bytes(1, "\xff"))),
        Enveloped("v1", "Pod", Bytes(1, Bytes(11, Bytes(1, "\xc3")))),
        Enveloped("v1\xff", "Pod", ""),
        Enveloped("v1", "Pod", Bytes(1, Bytes(17, Bytes(7, Bytes(1, "{no json")))))}) {
    const auto text = JsonOfProtobuf(bad);
    ASSERT_FALSE(text.ok()) << ::testing::PrintToString(bad);
    EXPECT_EQ(text.status().http_code(), 400);
  }
}

TEST(ProtobufBody, HandlesEveryTruncationAndEveryChangedByte) {
  const std::string good =
      Enveloped("apps/v1", "Deployment",
                Bytes(1, Bytes(1, "web") + Bytes(8, Number(1, 5))) +
                    Bytes(2, Number(1, 3) + Bytes(3, Bytes(2, Bytes(2, Bytes(1, "main"))))));
  for (size_t i = 0; i < good.size(); ++i) {
    (void)JsonOfProtobuf(good.substr(0, i));
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = good;
      changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
      const auto text = JsonOfProtobuf(changed);
      EXPECT_TRUE(text.ok() || text.status().http_code() == 400);
    }
  }
}

// Typed clients could not set a field whose number is missing here.
TEST(ProtobufBody, HasTheFieldNumbersOfAllBuiltInTypes) {
  size_t count = 0;
  for (const ObjectType* type : SchemaSet::BuiltIn().All()) {
    std::set<std::vector<uint32_t>> numbers;
    for (const Field& field : type->fields) {
      if (field.number.empty()) continue;
      EXPECT_TRUE(numbers.insert(field.number).second) << type->name << "." << field.name;
      ++count;
    }
  }
  EXPECT_GT(count, 2500U);
}

}  // namespace
}  // namespace capstan::testing::server
