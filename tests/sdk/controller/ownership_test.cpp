#include <capstan/controller/ownership.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/api/apps_v1.h>
#include <capstan/api/core_v1.h>
#include <capstan/api/raw_json.h>
#include <capstan/testing/simulated_runtime.h>

#include "support/scripted_transport.h"

namespace capstan {
namespace {

using api::apps::v1::ReplicaSet;
using api::core::v1::Pod;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::JsonAnswer;
using testing::StatusAnswer;
using PodPtr = std::shared_ptr<const Pod>;

constexpr char kSet[] = "/apis/apps/v1/namespaces/default/replicasets/web";
constexpr char kPods[] = "/api/v1/namespaces/default/pods/";

ReplicaSet WebSet() {
  ReplicaSet set;
  set.metadata.name = "web";
  set.metadata.namespace_ = "default";
  set.metadata.uid = "set-uid";
  set.spec.selector.matchLabels = {{"app", "web"}};
  return set;
}

Pod Orphan(const std::string& name) {
  Pod pod;
  pod.metadata.name = name;
  pod.metadata.namespace_ = "default";
  pod.metadata.uid = Uid("uid-" + name);
  pod.metadata.labels = {{"app", "web"}};
  return pod;
}

Pod Owned(const std::string& name) {
  Pod pod = Orphan(name);
  pod.metadata.ownerReferences = {ControllerReferenceTo(WebSet())};
  return pod;
}

Pod Stray(const std::string& name) {
  Pod pod = Owned(name);
  pod.metadata.labels = {{"app", "db"}};
  return pod;
}

class OwnershipTest : public ::testing::Test {
 protected:
  Ownership Of(const Pod& pod) { return OwnershipOf(set_.metadata, selector_, pod.metadata); }

  ReplicaSet set_ = WebSet();
  Selector selector_ = Selector::From(set_.spec.selector).value();
};

TEST_F(OwnershipTest, IsByControllerReferenceAndLabels) {
  EXPECT_EQ(Of(Owned("a")), Ownership::kOwned);
  EXPECT_EQ(Of(Orphan("a")), Ownership::kAdopt);
  EXPECT_EQ(Of(Stray("a")), Ownership::kRelease);
  Pod pod = Orphan("a");
  pod.metadata.labels = {};
  EXPECT_EQ(Of(pod), Ownership::kNone);
}

TEST_F(OwnershipTest, IgnoresObjectsOfOtherOwners) {
  Pod pod = Owned("a");
  pod.metadata.ownerReferences[0].uid = "another-uid";
  EXPECT_EQ(Of(pod), Ownership::kNone);
  pod.metadata.labels = {};
  EXPECT_EQ(Of(pod), Ownership::kNone);
}

TEST_F(OwnershipTest, IgnoresReferencesWithoutController) {
  Pod pod = Owned("a");
  pod.metadata.ownerReferences[0].controller = false;
  EXPECT_EQ(Of(pod), Ownership::kAdopt);
}

TEST_F(OwnershipTest, DoesNotAdoptOrReleaseForAnOwnerBeingDeleted) {
  set_.metadata.deletionTimestamp = api::Time::FromSeconds(1);
  EXPECT_EQ(Of(Owned("a")), Ownership::kOwned);
  EXPECT_EQ(Of(Orphan("a")), Ownership::kNone);
  EXPECT_EQ(Of(Stray("a")), Ownership::kNone);
}

TEST_F(OwnershipTest, DoesNotAdoptObjectsBeingDeleted) {
  Pod pod = Orphan("a");
  pod.metadata.deletionTimestamp = api::Time::FromSeconds(1);
  EXPECT_EQ(Of(pod), Ownership::kNone);
}

TEST_F(OwnershipTest, IgnoresReferencesAcrossNamespaces) {
  Pod owned = Owned("a");
  owned.metadata.namespace_ = "other";
  EXPECT_EQ(Of(owned), Ownership::kNone);
  Pod orphan = Orphan("a");
  orphan.metadata.namespace_ = "other";
  EXPECT_EQ(Of(orphan), Ownership::kNone);
  set_.metadata.namespace_ = {};
  EXPECT_EQ(Of(owned), Ownership::kOwned) << "of an owner without a namespace";
}

TEST_F(OwnershipTest, CreatesControllerReferences) {
  const api::OwnerReference reference = ControllerReferenceTo(set_);
  EXPECT_EQ(reference.apiVersion, "apps/v1");
  EXPECT_EQ(reference.kind, "ReplicaSet");
  EXPECT_EQ(reference.name, "web");
  EXPECT_EQ(reference.uid, set_.metadata.uid);
  EXPECT_EQ(reference.controller, true);
  EXPECT_EQ(reference.blockOwnerDeletion, true);
}

TEST_F(OwnershipTest, PatchesContainTheUidOfTheChild) {
  const RawJson adoption =
      RawJson::Parse(AdoptionPatch(ControllerReferenceTo(set_), "child-uid")).value();
  EXPECT_EQ(adoption.StringAt("/metadata/uid"), "child-uid");
  EXPECT_EQ(adoption.StringAt("/metadata/ownerReferences/0/uid"), "set-uid");
  EXPECT_EQ(adoption.StringAt("/metadata/ownerReferences/0/kind"), "ReplicaSet");
  EXPECT_EQ(adoption.At("/metadata/ownerReferences/0/controller").text(), "true");
  const RawJson release = RawJson::Parse(ReleasePatch("set-uid", "child-uid")).value();
  EXPECT_EQ(release.StringAt("/metadata/uid"), "child-uid");
  EXPECT_EQ(release.StringAt("/metadata/ownerReferences/0/$patch"), "delete");
  EXPECT_EQ(release.StringAt("/metadata/ownerReferences/0/uid"), "set-uid");
}

TEST_F(OwnershipTest, PatchesQuoteUids) {
  const RawJson patch = RawJson::Parse(ReleasePatch("\"},\\", "child-uid")).value();
  EXPECT_EQ(patch.StringAt("/metadata/ownerReferences/0/uid"), "\"},\\");
}

class ClaimTest : public OwnershipTest {
 protected:
  ClaimTest() {
    transport_->OnEvery("GET", kSet,
                        [this](const HttpRequest&) { return JsonAnswer(200, ToJson(fresh_)); });
    transport_->OnEvery("PATCH", std::string(kPods) + "*", [](const HttpRequest& request) {
      Pod pod = Owned(request.target.substr(request.target.rfind('/') + 1));
      pod.metadata.resourceVersion = "adopted";
      return JsonAnswer(200, ToJson(pod));
    });
  }

  Result<std::vector<PodPtr>> ClaimAll(const std::vector<Pod>& pods) {
    std::vector<PodPtr> candidates;
    for (const Pod& pod : pods) candidates.push_back(std::make_shared<Pod>(pod));
    return Claim(client_, set_, selector_, candidates);
  }
  static std::vector<std::string> NamesOf(const Result<std::vector<PodPtr>>& pods) {
    EXPECT_TRUE(pods.ok()) << pods.status().ToString();
    std::vector<std::string> names;
    if (pods) {
      for (const PodPtr& pod : *pods) names.push_back(pod->metadata.name);
    }
    return names;
  }
  static std::string Patched(const std::string& pod) { return "PATCH " + (kPods + pod); }

  ReplicaSet fresh_ = WebSet();
  testing::SimulatedRuntime runtime_;
  const std::shared_ptr<testing::ScriptedTransport> transport_ =
      std::make_shared<testing::ScriptedTransport>(runtime_);
  const Client client_{transport_, runtime_, ClientOptions{.qps = 0}};
};

TEST_F(ClaimTest, ReturnsOwnedObjectsWithoutARequest) {
  Pod foreign = Orphan("foreign");
  foreign.metadata.labels = {};
  EXPECT_THAT(NamesOf(ClaimAll({Owned("a"), foreign, Owned("b")})), ElementsAre("a", "b"));
  EXPECT_THAT(transport_->Lines(), IsEmpty());
}

TEST_F(ClaimTest, AdoptsOrphansAfterOneReadOfTheOwner) {
  const auto pods = ClaimAll({Orphan("a"), Owned("b"), Orphan("c")});
  EXPECT_THAT(NamesOf(pods), ElementsAre("a", "b", "c"));
  EXPECT_EQ((*pods)[0]->metadata.resourceVersion, "adopted");
  EXPECT_THAT(transport_->Lines(),
              ElementsAre("GET " + std::string(kSet), Patched("a"), Patched("c")));
}

TEST_F(ClaimTest, ReleasesObjectsThatNoLongerMatchWithoutReadingTheOwner) {
  EXPECT_THAT(NamesOf(ClaimAll({Stray("a")})), IsEmpty());
  EXPECT_THAT(transport_->Lines(), ElementsAre(Patched("a")));
}

TEST_F(ClaimTest, DoesNotAdoptForAReplacedOwner) {
  fresh_.metadata.uid = "new-uid";
  const Status status = ClaimAll({Orphan("a"), Orphan("b")}).status();
  EXPECT_TRUE(status.IsConflict());
  EXPECT_THAT(
      status.message(),
      HasSubstr("original ReplicaSet default/web is gone: got uid new-uid, wanted set-uid"));
  EXPECT_THAT(transport_->Lines(), ElementsAre("GET " + std::string(kSet)));
}

TEST_F(ClaimTest, DoesNotAdoptForAnOwnerBeingDeleted) {
  fresh_.metadata.deletionTimestamp = api::Time::FromSeconds(1'800'000'000);
  const Status status = ClaimAll({Orphan("a")}).status();
  EXPECT_TRUE(status.IsConflict());
  EXPECT_THAT(status.message(),
              HasSubstr("ReplicaSet default/web has just been deleted at 2027-01-15T08:00:00Z"));
}

TEST_F(ClaimTest, ReportsThatTheOwnerCouldNotBeRead) {
  transport_->On("GET", kSet, StatusAnswer(403, "Forbidden", "no way"));
  const Status status = ClaimAll({Orphan("a")}).status();
  EXPECT_TRUE(status.IsForbidden());
  EXPECT_EQ(status.message(), "can't adopt pods for ReplicaSet default/web: no way");
}

TEST_F(ClaimTest, ContinuesAfterAFailedAdoption) {
  transport_->On("PATCH", kPods + std::string("a"), StatusAnswer(500, "InternalError", "first"));
  transport_->On("PATCH", kPods + std::string("b"), StatusAnswer(403, "Forbidden", "second"));
  const Status status = ClaimAll({Orphan("a"), Stray("b"), Orphan("c"), Stray("d")}).status();
  EXPECT_EQ(status.message(), "first");
  EXPECT_THAT(transport_->Lines(), ElementsAre("GET " + std::string(kSet), Patched("a"),
                                               Patched("b"), Patched("c"), Patched("d")));
}

TEST_F(ClaimTest, OmitsObjectsDeletedConcurrently) {
  transport_->On("PATCH", kPods + std::string("a"), StatusAnswer(404, "NotFound"));
  transport_->On("PATCH", kPods + std::string("b"), StatusAnswer(404, "NotFound"));
  EXPECT_THAT(NamesOf(ClaimAll({Orphan("a"), Stray("b"), Owned("c")})), ElementsAre("c"));
}

TEST_F(ClaimTest, TreatsAnInvalidReleaseAsReleased) {
  transport_->On("PATCH", kPods + std::string("a"), StatusAnswer(422, "Invalid"));
  EXPECT_THAT(NamesOf(ClaimAll({Stray("a")})), IsEmpty());
}

TEST_F(ClaimTest, ReportsARefusedAdoption) {
  transport_->On("PATCH", kPods + std::string("a"), StatusAnswer(422, "Invalid", "a second one"));
  EXPECT_TRUE(ClaimAll({Orphan("a")}).status().IsInvalid());
}

TEST_F(ClaimTest, ConsidersOwnedObjectsAndOrphansOfTheNamespace) {
  const auto indexer = std::make_shared<Indexer>(DescriptorOf<Pod>());
  Pod elsewhere = Orphan("elsewhere");
  elsewhere.metadata.namespace_ = "other";
  Pod foreign = Owned("foreign");
  foreign.metadata.ownerReferences[0].uid = "another-uid";
  for (const Pod& pod : {Owned("a"), Orphan("b"), elsewhere, foreign}) {
    indexer->Put(std::make_shared<Pod>(pod));
  }
  EXPECT_THAT(NamesOf(CandidatesFor(Lister<Pod>(indexer), set_)), ElementsAre("a", "b"));
}

class AdoptersTest : public ::testing::Test {
 protected:
  AdoptersTest() {
    Store(WebSet());
    ReplicaSet elsewhere = WebSet();
    elsewhere.metadata.namespace_ = "other";
    Store(elsewhere);
    ReplicaSet other = WebSet();
    other.metadata.name = "db";
    other.spec.selector.matchLabels = {{"app", "db"}};
    Store(other);
  }
  void Store(const ReplicaSet& set) { sets_->Put(std::make_shared<ReplicaSet>(set)); }
  std::vector<std::string> WokenBy(const Pod* before, const Pod* after) const {
    std::vector<NamespacedName> keys;
    AdoptersOf<Pod>(Lister<ReplicaSet>(sets_))(before, after, keys);
    std::vector<std::string> names;
    for (const NamespacedName& key : keys) names.push_back(key.ToString());
    return names;
  }

  std::shared_ptr<Indexer> sets_ = std::make_shared<Indexer>(DescriptorOf<ReplicaSet>());
};

TEST_F(AdoptersTest, AreTheOwnersOfTheNamespaceWhoseSelectorMatchesAnOrphan) {
  const Pod orphan = Orphan("a");
  EXPECT_THAT(WokenBy(nullptr, &orphan), ElementsAre("default/web"));
  Pod labelled_anew = Orphan("a");
  labelled_anew.metadata.labels = {{"app", "db"}};
  EXPECT_THAT(WokenBy(&orphan, &labelled_anew), ElementsAre("default/db"));
  const Pod owned = Owned("a");
  EXPECT_THAT(WokenBy(&owned, &orphan), ElementsAre("default/web"));
}

TEST_F(AdoptersTest, AreNotWokenByAnUnchangedOrphan) {
  const Pod before = Orphan("a");
  Pod after = Orphan("a");
  after.status.phase = "Running";
  EXPECT_THAT(WokenBy(&before, &after), IsEmpty());
}

TEST_F(AdoptersTest, AreNotWokenByObjectsThatCannotBeAdopted) {
  const Pod owned = Owned("a");
  EXPECT_THAT(WokenBy(nullptr, &owned), IsEmpty());
  const Pod orphan = Orphan("a");
  EXPECT_THAT(WokenBy(&orphan, nullptr), IsEmpty());
  Pod going = orphan;
  going.metadata.deletionTimestamp = api::Time::FromSeconds(1);
  EXPECT_THAT(WokenBy(nullptr, &going), IsEmpty());
  Pod bare = orphan;
  bare.metadata.labels = {};
  EXPECT_THAT(WokenBy(nullptr, &bare), IsEmpty());
}

TEST_F(AdoptersTest, ExcludeOwnersWithAnEmptyOrInvalidSelector) {
  ReplicaSet set = WebSet();
  set.spec.selector = {};
  Store(set);
  const Pod orphan = Orphan("a");
  EXPECT_THAT(WokenBy(nullptr, &orphan), IsEmpty());
  set.spec.selector.matchExpressions = {{.key = "app", .operator_ = "Like", .values = {}}};
  Store(set);
  EXPECT_THAT(WokenBy(nullptr, &orphan), IsEmpty());
}

}  // namespace
}  // namespace capstan
