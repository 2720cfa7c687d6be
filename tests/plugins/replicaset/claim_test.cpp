#include "replicaset/claim.h"

#include <gtest/gtest.h>

#include <capstan/api/raw_json.h>

#include "builders.h"

namespace capstan::replicaset {
namespace {

class ClaimTest : public ::testing::Test {
 protected:
  Claim Of(const Pod& pod) { return Classify(set_.metadata, selector_, pod.metadata); }

  ReplicaSet set_ = SetOf(1);
  Selector selector_ = Selector::From(set_.spec.selector).value();
  Pod owned_ = PodOf("a");
  Pod orphan_ = [] {
    Pod pod = PodOf("b");
    pod.metadata.ownerReferences = {};
    return pod;
  }();
};

TEST_F(ClaimTest, OwnsAdoptsAndReleasesByOwnerAndLabels) {
  EXPECT_EQ(Of(owned_), Claim::kOwned);
  EXPECT_EQ(Of(orphan_), Claim::kAdopt);
  owned_.metadata.labels = {{"app", "db"}};
  orphan_.metadata.labels = {{"app", "db"}};
  EXPECT_EQ(Of(owned_), Claim::kRelease);
  EXPECT_EQ(Of(orphan_), Claim::kIgnore);
}

TEST_F(ClaimTest, LeavesOthersAlone) {
  owned_.metadata.ownerReferences = {OwnerOf("web", "another-uid")};
  EXPECT_EQ(Of(owned_), Claim::kIgnore);
}

TEST_F(ClaimTest, NeitherAdoptsNorReleasesForAnOwnerThatIsGoing) {
  set_.metadata.deletionTimestamp = TimeAt(0);
  EXPECT_EQ(Of(owned_), Claim::kOwned);
  EXPECT_EQ(Of(orphan_), Claim::kIgnore);
  owned_.metadata.labels = {};
  EXPECT_EQ(Of(owned_), Claim::kIgnore);
}

TEST_F(ClaimTest, DoesNotAdoptWhatIsGoing) {
  orphan_.metadata.deletionTimestamp = TimeAt(0);
  EXPECT_EQ(Of(orphan_), Claim::kIgnore);
}

TEST_F(ClaimTest, PatchesNameTheChildAndTheOwner) {
  const RawJson adoption =
      RawJson::Parse(AdoptionPatch(OwnerOf("web", Uid(kSetUid)), "child-uid")).value();
  EXPECT_EQ(adoption.StringAt("/metadata/uid"), "child-uid");
  EXPECT_EQ(adoption.StringAt("/metadata/ownerReferences/0/uid"), kSetUid);
  EXPECT_EQ(adoption.StringAt("/metadata/ownerReferences/0/kind"), "ReplicaSet");
  EXPECT_EQ(adoption.At("/metadata/ownerReferences/0/controller").text(), "true");
  const RawJson release = RawJson::Parse(ReleasePatch(Uid(kSetUid), "child-uid")).value();
  EXPECT_EQ(release.StringAt("/metadata/uid"), "child-uid");
  EXPECT_EQ(release.StringAt("/metadata/ownerReferences/0/$patch"), "delete");
  EXPECT_EQ(release.StringAt("/metadata/ownerReferences/0/uid"), kSetUid);
}

}  // namespace
}  // namespace capstan::replicaset
