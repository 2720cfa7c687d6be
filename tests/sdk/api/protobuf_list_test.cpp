#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <capstan/api/coordination_v1.h>
#include <capstan/api/object.h>

#include "api/protobuf/list_reader.h"
#include "support/protobuf_bytes.h"

namespace capstan::protobuf {
namespace {

using api::coordination::v1::Lease;
using capstan::testing::Bytes;
using capstan::testing::Enveloped;
using capstan::testing::Number;
using capstan::testing::Varint;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kGroup = "coordination.k8s.io/v1";

std::string LeaseNamed(const std::string& name) {
  return Bytes(1, Bytes(1, name) + Bytes(3, "ns") + Bytes(6, "5")) + Bytes(2, Bytes(1, "me"));
}

struct Received {
  std::vector<std::string> names;
  std::vector<std::string> malformed;
  Status status;
  ListMetadata metadata;
};

// Feeds `bytes` in pieces of `piece` bytes.
Received Read(const std::string& bytes, size_t piece, size_t limit = ListReader::kItemLimit) {
  Received received;
  const ListSink sink{
      .on_item =
          [&](const ObjectPtr& item) {
            received.names.push_back(static_cast<const Lease*>(item.get())->metadata.name);
          },
      .on_malformed =
          [&](const NamespacedName& name, const Status& status) {
            received.malformed.push_back(name.ToString() + ": " + status.message());
          }};
  const auto reader = NewListReader(DescriptorOf<Lease>(), sink, {}, limit);
  for (size_t begin = 0; begin < bytes.size() && received.status.ok(); begin += piece) {
    received.status = reader->Feed(std::string_view(bytes).substr(begin, piece));
  }
  if (!received.status.ok()) return received;
  auto metadata = reader->Finish();
  received.status = metadata.status();
  if (metadata) received.metadata = *std::move(metadata);
  return received;
}

std::string GoodList() {
  return Enveloped(kGroup, "LeaseList",
                   Bytes(1, Bytes(1, "") + Bytes(2, "99") + Bytes(3, "next") + Number(4, 7)) +
                       Bytes(2, LeaseNamed("a")) + Bytes(2, LeaseNamed("b")) + Bytes(9, "unknown") +
                       Bytes(2, LeaseNamed("c"))) +
         Bytes(3, "") + Bytes(4, "");
}

TEST(ProtobufList, IsReadHoweverItsBytesArrive) {
  const std::string bytes = GoodList();
  for (size_t piece = 1; piece <= bytes.size(); ++piece) {
    const Received received = Read(bytes, piece);
    ASSERT_TRUE(received.status.ok()) << piece << ": " << received.status.ToString();
    EXPECT_THAT(received.names, ElementsAre("a", "b", "c"));
    EXPECT_EQ(received.metadata.resource_version, "99");
    EXPECT_EQ(received.metadata.continue_token, "next");
  }
}

TEST(ProtobufList, MayBeEmpty) {
  const Received received = Read(Enveloped(kGroup, "LeaseList", Bytes(1, Bytes(2, "7"))), 1000);
  EXPECT_TRUE(received.status.ok()) << received.status.ToString();
  EXPECT_EQ(received.metadata.resource_version, "7");
  EXPECT_TRUE(Read(Enveloped(kGroup, "LeaseList", ""), 1).status.ok());
}

TEST(ProtobufList, GoesOnAfterAMalformedItem) {
  const std::string bad = Bytes(1, Bytes(1, "bad") + Bytes(3, "ns")) + Bytes(2, Number(1, 5));
  const Received received =
      Read(Enveloped(kGroup, "LeaseList",
                     Bytes(2, LeaseNamed("a")) + Bytes(2, bad) + Bytes(2, LeaseNamed("c"))),
           10);
  EXPECT_TRUE(received.status.ok()) << received.status.ToString();
  EXPECT_THAT(received.names, ElementsAre("a", "c"));
  EXPECT_THAT(received.malformed, ElementsAre("ns/bad: spec.holderIdentity: expected a string, "
                                              "found a varint"));
}

TEST(ProtobufList, IsMalformedWhereverItIsTruncated) {
  const std::string bytes = GoodList();
  const size_t end_of_list = bytes.size() - 4;  // what follows may be absent
  for (size_t size = 0; size < end_of_list; ++size) {
    EXPECT_EQ(Read(bytes.substr(0, size), 7).status.reason(), StatusReason::kMalformed) << size;
  }
}

TEST(ProtobufList, IsNoOtherKindOfObject) {
  EXPECT_THAT(Read(Enveloped("v1", "Status", Bytes(2, "Failure")), 1).status.message(),
              HasSubstr("expected a list, found an object of kind \"Status\""));
  EXPECT_THAT(Read(R"({"kind":"LeaseList"})", 3).status.message(),
              HasSubstr("not a protobuf object"));
}

TEST(ProtobufList, RefusesLengthsThatDoNotFit) {
  const std::string long_item = "\x12\xff\xff\xff\xff\xff\xff\xff\xff\x7f";
  EXPECT_THAT(Read(Enveloped(kGroup, "LeaseList", long_item), 4).status.message(),
              HasSubstr("an item is longer than the list"));
  const std::string huge_list = std::string("k8s\0", 4) + "\x12" + Varint(uint64_t{1} << 50);
  EXPECT_THAT(Read(huge_list + "\x12" + Varint(uint64_t{1} << 40), 4).status.message(),
              HasSubstr("a part of the list is larger than"));
  EXPECT_THAT(Read(GoodList(), 4, 5).status.message(),
              HasSubstr("a part of the list is larger than 5 bytes"));
  const std::string field_zero = std::string("\x00\x00", 2);
  EXPECT_FALSE(Read(Enveloped(kGroup, "LeaseList", field_zero), 1).status.ok());
  EXPECT_FALSE(Read(Enveloped(kGroup, "LeaseList", Number(2, 5)), 1).status.ok());
  EXPECT_FALSE(Read(GoodList() + Bytes(2, LeaseNamed("x")), 9).status.ok()) << "a second list";
}

}  // namespace
}  // namespace capstan::protobuf
