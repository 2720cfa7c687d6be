// Decoding of protobuf messages, by examples. protobuf_property_test.cpp compares with JSON.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include <capstan/api/kinds.h>
#include <capstan/api/object.h>

#include "api/protobuf/message_decoder.h"
#include "api/protobuf/object.h"
#include "support/protobuf_bytes.h"

namespace capstan::protobuf {
namespace {

using api::coordination::v1::Lease;
using api::core::v1::Event;
using api::core::v1::Pod;
using capstan::testing::Bytes;
using capstan::testing::Entry;
using capstan::testing::Enveloped;
using capstan::testing::Number;
using ::testing::HasSubstr;

FieldSet FieldsOfPod(const std::vector<std::string_view>& paths) {
  const auto fields = FieldSet::Of(DescriptorOf<Pod>(), paths);
  EXPECT_TRUE(fields.ok()) << fields.status().ToString();
  return fields.ok() ? *fields : FieldSet();
}

// Everything of a pod that protobuf has.
FieldSet AllOfPod() {
  return FieldsOfPod({"spec.nodeName", "spec.containers", "spec.volumes.persistentVolumeClaim",
                      "spec.overhead", "spec.priority", "status.phase", "status.startTime",
                      "status.conditions.type", "status.conditions.status",
                      "status.conditions.lastTransitionTime", "status.containerStatuses",
                      "metadata.annotations"});
}

Pod DecodedPod(std::string_view message, const FieldSet& fields = AllOfPod()) {
  Pod pod;
  const Status status = DecodeMessage(DescriptorOf<Pod>(), message, &pod, fields);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return pod;
}

std::string ErrorOf(std::string_view message, const FieldSet& fields = AllOfPod()) {
  Pod pod;
  const Status status = DecodeMessage(DescriptorOf<Pod>(), message, &pod, fields);
  EXPECT_EQ(status.reason(), StatusReason::kMalformed);
  return status.message();
}

TEST(ProtobufMessage, DecodesScalarsMapsAndLists) {
  const std::string metadata = Bytes(1, "web") + Bytes(3, "ns") + Bytes(6, "42") + Number(7, 3) +
                               Bytes(8, Number(1, 1767323045) + Number(2, 0)) +
                               Entry(11, "app", "web") + Entry(12, "note", "x") +
                               Entry(11, "tier", "front") + Bytes(14, "first") +
                               Bytes(14, "second");
  const std::string condition =
      Bytes(1, "Ready") + Bytes(2, "True") + Bytes(4, Number(1, 1767323046));
  const Pod pod = DecodedPod(Bytes(1, metadata) + Bytes(2, Bytes(10, "node-1")) +
                             Bytes(3, Bytes(1, "Running") + Bytes(2, condition)));
  EXPECT_EQ(pod.metadata.name, "web");
  EXPECT_EQ(pod.metadata.namespace_, "ns");
  EXPECT_EQ(pod.metadata.resourceVersion, "42");
  EXPECT_EQ(pod.metadata.generation, 3);
  EXPECT_EQ(pod.metadata.creationTimestamp.ToString(), "2026-01-02T03:04:05Z");
  EXPECT_EQ(pod.metadata.labels, (StringMap{{"app", "web"}, {"tier", "front"}}));
  EXPECT_EQ(pod.metadata.annotations, (StringMap{{"note", "x"}}));
  EXPECT_EQ(pod.metadata.finalizers, (List<InternedString>{"first", "second"}));
  EXPECT_EQ(pod.metadata.kept, AllOfPod());
  EXPECT_EQ(pod.spec.nodeName, "node-1");
  EXPECT_EQ(pod.status.phase, "Running");
  ASSERT_EQ(pod.status.conditions.size(), 1U);
  EXPECT_EQ(pod.status.conditions[0].lastTransitionTime.ToString(), "2026-01-02T03:04:06Z");
}

TEST(ProtobufMessage, ReadsQuantities) {
  const std::string resources = Bytes(1, Bytes(1, "cpu") + Bytes(2, Bytes(1, "500m")));
  const Pod pod =
      DecodedPod(Bytes(2, Bytes(2, Bytes(1, "main") + Bytes(8, resources)) +
                              Bytes(32, Bytes(1, "memory") + Bytes(2, Bytes(1, "1Gi")))));
  ASSERT_EQ(pod.spec.extras->containers.size(), 1U);
  EXPECT_EQ(pod.spec.extras->containers[0].resources.limits.Get("cpu"), "500m");
  EXPECT_EQ(pod.spec.extras->overhead.Get("memory"), "1Gi");
}

TEST(ProtobufMessage, ReadsFieldsThatJsonInlines) {
  const std::string claim = Bytes(10, Bytes(1, "data") + Number(2, 1));
  const Pod pod = DecodedPod(Bytes(2, Bytes(1, Bytes(1, "v") + Bytes(2, claim))));
  ASSERT_EQ(pod.spec.extras->volumes.size(), 1U);
  const auto& volume = pod.spec.extras->volumes[0];
  ASSERT_TRUE(volume.persistentVolumeClaim);
  EXPECT_EQ(volume.persistentVolumeClaim->claimName, "data");
  EXPECT_TRUE(volume.persistentVolumeClaim->readOnly);
}

TEST(ProtobufMessage, AllocatesNoBoxForZeroValues) {
  const std::string zeros = Bytes(3, "") + Number(11, 0) + Bytes(8, "");
  const Pod pod = DecodedPod(Bytes(2, zeros) + Bytes(3, Bytes(8, Bytes(1, "") + Number(4, 0))),
                             FieldsOfPod({"spec.restartPolicy", "spec.hostNetwork",
                                          "spec.serviceAccountName", "status.containerStatuses"}));
  EXPECT_FALSE(pod.spec.extras.allocated());
  ASSERT_EQ(pod.status.containerStatuses.size(), 1U);
  EXPECT_FALSE(pod.status.containerStatuses[0].extras.allocated());
}

TEST(ProtobufMessage, TellsAnAbsentValueFromAnEmptyOne) {
  const auto lease = [](std::string_view message) {
    Lease decoded;
    EXPECT_TRUE(DecodeMessage(DescriptorOf<Lease>(), message, &decoded).ok());
    return decoded;
  };
  EXPECT_FALSE(lease(Bytes(2, "")).spec.holderIdentity.has_value());
  EXPECT_EQ(lease(Bytes(2, Bytes(1, ""))).spec.holderIdentity, "");
  EXPECT_EQ(lease(Bytes(2, Number(2, 0))).spec.leaseDurationSeconds, 0);
}

TEST(ProtobufMessage, ReadsTimesAsJsonShowsThem) {
  const auto renew = [](std::string_view time) {
    Lease decoded;
    EXPECT_TRUE(DecodeMessage(DescriptorOf<Lease>(), Bytes(2, Bytes(4, time)), &decoded).ok());
    return decoded.spec.renewTime.ToString();
  };
  EXPECT_EQ(renew(""), "") << "the zero time is an empty message";
  EXPECT_EQ(renew(Number(1, -62135596800)), "") << "Go's zero time is null in JSON";
  EXPECT_EQ(renew(Number(1, 0) + Number(2, 0)), "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(renew(Number(1, 1767323045) + Number(2, 123456789)), "2026-01-02T03:04:05.123456Z");
  EXPECT_EQ(renew(Number(1, -1) + Number(2, 999999999)), "1969-12-31T23:59:59.999999Z");
}

TEST(ProtobufMessage, SkipsWhatIsNotKept) {
  const std::string message =
      Bytes(1, Bytes(1, "web") + Entry(12, "a", "1") + Entry(12, "b", "2")) +
      Bytes(2, Bytes(10, "node") + Bytes(2, "no container")) +
      Bytes(3, Bytes(2, Bytes(1, "Ready") + Bytes(2, "True")) +
                   Bytes(2, Bytes(1, "Other") + Bytes(2, "True")));
  const FieldSet fields = FieldsOfPod(
      {"metadata.annotations[b]", "spec.nodeName", "status.conditions[type=Ready].status"});
  const Pod pod = DecodedPod(message, fields);
  EXPECT_EQ(pod.metadata.annotations, (StringMap{{"b", "2"}}));
  EXPECT_EQ(pod.spec.nodeName, "node");
  EXPECT_FALSE(pod.spec.extras.allocated());
  ASSERT_EQ(pod.status.conditions.size(), 1U);
  EXPECT_EQ(pod.status.conditions[0].type, "Ready");
}

TEST(ProtobufMessage, SkipsUnknownFieldsOfEveryWireType) {
  const std::string unknown = Number(900, 7) + Bytes(901, "x") +
                              capstan::testing::Varint(902 << 3 | 1) + std::string(8, '\xff') +
                              capstan::testing::Varint(903 << 3 | 5) + std::string(4, '\xff');
  EXPECT_EQ(DecodedPod(unknown + Bytes(1, unknown + Bytes(1, "web"))).metadata.name, "web");
}

TEST(ProtobufMessage, KeepsTheLastOfSeveralValues) {
  EXPECT_EQ(DecodedPod(Bytes(1, Bytes(1, "a") + Bytes(1, "b"))).metadata.name, "b");
  EXPECT_EQ(DecodedPod(Bytes(1, Bytes(1, "a")) + Bytes(1, Bytes(3, "ns"))).metadata.name, "a")
      << "messages are merged";
  EXPECT_EQ(
      DecodedPod(Bytes(1, Entry(11, "a", "1") + Entry(11, "a", "2"))).metadata.labels.Get("a"),
      "2");
}

TEST(ProtobufMessage, NamesThePathOfAMalformedValue) {
  EXPECT_EQ(ErrorOf(Number(1, 5)), "metadata: expected an object, found a varint");
  EXPECT_EQ(ErrorOf(Bytes(1, Number(1, 5))), "metadata.name: expected a string, found a varint");
  EXPECT_EQ(ErrorOf(Bytes(1, Bytes(7, "3"))),
            "metadata.generation: expected an integer, found bytes");
  EXPECT_EQ(ErrorOf(Bytes(1, Bytes(1, "\xff"))), "metadata.name: not valid UTF-8");
  EXPECT_EQ(ErrorOf(Bytes(1, Entry(11, "app", "\xff"))), "metadata.labels.app: not valid UTF-8");
  EXPECT_EQ(ErrorOf(Bytes(1, Entry(11, "\xff", ""))), "metadata.labels.?: not valid UTF-8");
  const std::string good = Bytes(1, "main");
  const std::string port = Bytes(6, Bytes(3, "80"));
  EXPECT_EQ(ErrorOf(Bytes(2, Bytes(2, good) + Bytes(2, good + port))),
            "spec.containers[1].ports[0].containerPort: expected an integer, found bytes");
  EXPECT_EQ(ErrorOf(Bytes(1, Bytes(8, Number(1, INT64_MAX)))),
            "metadata.creationTimestamp: 9223372036854775807 s is no time in the years 0 to 9999");
  EXPECT_EQ(ErrorOf(Bytes(1, Bytes(8, Bytes(1, "x")))),
            "metadata.creationTimestamp: a field has the wrong wire type");
}

struct BadMessage {
  const char* name;
  std::string bytes;
};

class MalformedMessage : public ::testing::TestWithParam<BadMessage> {};

TEST_P(MalformedMessage, IsRefused) {
  for (const std::string& message :
       {GetParam().bytes, Bytes(1, GetParam().bytes), Bytes(2, Bytes(2, GetParam().bytes))}) {
    EXPECT_NE(ErrorOf(message), "");
  }
}

INSTANTIATE_TEST_SUITE_P(
    Protobuf, MalformedMessage,
    ::testing::Values(BadMessage{"TruncatedTag", "\x80"}, BadMessage{"TruncatedVarint", "\x38\x80"},
                      BadMessage{"TruncatedLength", "\x0a\x80"},
                      BadMessage{"TruncatedBytes", "\x0a\x05web"},
                      BadMessage{"TruncatedFixed64", std::string("\x09\x00\x00", 3)},
                      BadMessage{"TruncatedFixed32", std::string("\x0d\x00", 2)},
                      BadMessage{"LongVarint", "\x38" + std::string(10, '\x80') + "\x01"},
                      BadMessage{"LongTag", std::string(10, '\xff') + "\x01"},
                      BadMessage{"HugeLength", "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f"},
                      // 2^32 + 1: a length that is cut to 32 bits would fit.
                      BadMessage{"LengthOver32Bits", "\x0a\x81\x80\x80\x80\x10" + std::string("a")},
                      BadMessage{"FieldZero", std::string("\x00\x00", 2)},
                      BadMessage{"NumberOver29Bits", "\xf8\xff\xff\xff\x7f\x01"},
                      BadMessage{"Group", "\x0b\x0c"}, BadMessage{"EndOfGroup", "\x0c"},
                      BadMessage{"WireType6", "\x0e"}, BadMessage{"WireType7", "\x0f"}),
    [](const auto& test) { return test.param.name; });

TEST(ProtobufMessage, EndsAtItsLastByteHoweverItIsCut) {
  const std::string message =
      Bytes(1, Bytes(1, "web") + Entry(11, "a", "b") + Bytes(8, Number(1, 5))) +
      Bytes(2, Bytes(2, Bytes(1, "main") + Bytes(6, Number(3, 80)))) +
      Bytes(3, Bytes(2, Bytes(1, "Ready")));
  for (size_t size = 0; size < message.size(); ++size) {
    Pod pod;
    const Status status =
        DecodeMessage(DescriptorOf<Pod>(), message.substr(0, size), &pod, AllOfPod());
    EXPECT_TRUE(status.ok() || status.reason() == StatusReason::kMalformed);
  }
}

TEST(ProtobufMessage, IsReadInLinearTimeWhateverTheOrderOfMapEntries) {
  constexpr int kCount = 100'000;
  std::string metadata;
  for (int i = kCount; i > 0; --i) {
    const std::string key = std::to_string(1'000'000 + i);
    metadata += Entry(11, key, "") + Entry(12, key, "");
  }
  const Pod pod = DecodedPod(Bytes(1, metadata));
  EXPECT_EQ(pod.metadata.labels.size(), size_t{kCount});
  EXPECT_EQ(pod.metadata.annotations.size(), size_t{kCount});
}

TEST(TravelsAsProtobuf, NeedsANumberForAllThatIsKept) {
  EXPECT_TRUE(TravelsAsProtobuf(DescriptorOf<Lease>(), {}));
  EXPECT_TRUE(TravelsAsProtobuf(DescriptorOf<Event>(), {}));
  EXPECT_FALSE(TravelsAsProtobuf(DescriptorOf<api::apps::v1::Deployment>(), {}));
  EXPECT_FALSE(TravelsAsProtobuf(DescriptorOf<api::apps::v1::ReplicaSet>(), {}));
  EXPECT_FALSE(TravelsAsProtobuf(DescriptorOf<api::core::v1::PodFromTemplate>(), {}));
  EXPECT_FALSE(TravelsAsProtobuf(DescriptorOf<Pod>(), {})) << "conditions keep unknown members";
  EXPECT_TRUE(TravelsAsProtobuf(DescriptorOf<Pod>(), AllOfPod()));
  EXPECT_FALSE(TravelsAsProtobuf(DescriptorOf<Pod>(), FieldsOfPod({"status.conditions"})));
  EXPECT_TRUE(TravelsAsProtobuf(DescriptorOf<Pod>(), FieldsOfPod({"status.conditions.type"})));
}

TEST(ProtobufObject, IsOfTheKindThatItsEnvelopeNames) {
  const std::string raw = Bytes(1, Bytes(1, "a") + Bytes(3, "ns") + Bytes(6, "7"));
  const auto decode = [](const std::string& bytes) {
    Lease lease;
    return DecodeObject(DescriptorOf<Lease>(), bytes, &lease);
  };
  EXPECT_TRUE(decode(Enveloped("coordination.k8s.io/v1", "Lease", raw)).ok());
  EXPECT_TRUE(decode(Enveloped("", "", raw)).ok());
  EXPECT_EQ(decode(Enveloped("v1", "Status", raw)).message(),
            "an object of kind \"Status\" instead of a Lease");
  EXPECT_THAT(decode("{}").message(), HasSubstr("not a protobuf object"));
  EXPECT_THAT(decode(Enveloped("v1", "Lease\xff", raw)).message(), HasSubstr("not valid UTF-8"));
  EXPECT_THAT(decode(Enveloped("v1", "Lease", raw) + Bytes(3, "gzip")).message(),
              HasSubstr("contentEncoding"));
  const ObjectIdentity identity = IdentityOf(Enveloped("", "Lease", raw + Bytes(2, "\x80")));
  EXPECT_EQ(identity.name.ToString(), "ns/a");
  EXPECT_EQ(identity.resource_version, "7");
}

}  // namespace
}  // namespace capstan::protobuf
