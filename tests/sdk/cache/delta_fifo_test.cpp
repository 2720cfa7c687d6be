#include <capstan/cache/delta_fifo.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pods.h"

#include <capstan/testing/simulated_runtime.h>

namespace capstan {
namespace {

using testing::AsPod;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::NewPod;
using testing::Pod;
using ::testing::UnorderedElementsAre;

std::string TextOf(const Delta& delta) {
  static constexpr const char* kNames[] = {"added", "updated", "deleted", "replaced", "sync"};
  const api::ObjectMeta& metadata = AsPod(delta.object).metadata;
  std::string text = std::string(kNames[static_cast<int>(delta.type)]) + " " + metadata.name + "@" +
                     metadata.resourceVersion;
  if (delta.final_state_unknown) text += " unknown";
  if (delta.initial_list) text += " initial";
  return text;
}

class DeltaFifoTest : public ::testing::Test {
 protected:
  // Pops without applying. Returns "nothing" when Pop would wait.
  std::vector<std::string> Pop() {
    fifo_.Wake();
    // The wake-up comes first, so that a Pop of an empty queue does not wait.
    EXPECT_THAT(*fifo_.Pop({}), IsEmpty());
    std::stop_source stop;
    std::optional<std::vector<Delta>> deltas;
    {
      auto consumer = runtime_.Start("consumer", [&] { deltas = fifo_.Pop(stop.get_token()); });
      runtime_.RunUntilIdle();
      stop.request_stop();
    }
    if (!deltas) return {"nothing"};
    std::vector<std::string> texts;
    for (const Delta& delta : *deltas) texts.push_back(TextOf(delta));
    popped_ = std::move(*deltas);
    return texts;
  }
  // Applies the deltas popped last.
  void Done() {
    for (const Delta& delta : popped_) {
      if (delta.type == Delta::Type::kDeleted) {
        known_.Delete(api::NameOf(AsPod(delta.object).metadata));
      } else {
        known_.Put(delta.object);
      }
    }
    popped_.clear();
    fifo_.Done();
  }
  std::vector<std::string> PopAndApply() {
    auto texts = Pop();
    Done();
    return texts;
  }

  testing::SimulatedRuntime runtime_;
  Indexer known_{DescriptorOf<Pod>()};
  DeltaFifo fifo_{DescriptorOf<Pod>(), known_, runtime_};
  std::vector<Delta> popped_;
};

TEST_F(DeltaFifoTest, PopsTheDeltasOfAnObjectTogetherInOrderOfTheFirst) {
  fifo_.Add(NewPod("ns", "a", "1"));
  fifo_.Add(NewPod("ns", "b", "2"));
  fifo_.Update(NewPod("ns", "a", "3"));
  fifo_.Delete(NewPod("ns", "a", "4"));
  EXPECT_THAT(PopAndApply(), ElementsAre("added a@1", "updated a@3", "deleted a@4"));
  EXPECT_THAT(PopAndApply(), ElementsAre("added b@2"));
  EXPECT_THAT(Pop(), ElementsAre("nothing"));
}

TEST_F(DeltaFifoTest, MergesTwoConsecutiveDeletions) {
  known_.Put(NewPod("ns", "a", "1"));
  fifo_.Delete(NewPod("ns", "a", "2"));
  fifo_.Delete(NewPod("ns", "a", "3"));
  EXPECT_THAT(PopAndApply(), ElementsAre("deleted a@3"));
}

TEST_F(DeltaFifoTest, PrefersAWatchedDeletionOverAnInferredOne) {
  known_.Put(NewPod("ns", "a", "1"));
  fifo_.DeleteLastKnown({"ns", "a"});
  fifo_.Delete(NewPod("ns", "a", "2"));
  fifo_.DeleteLastKnown({"ns", "a"});
  EXPECT_THAT(PopAndApply(), ElementsAre("deleted a@2"));
}

TEST_F(DeltaFifoTest, DropsTheDeletionOfAnUnknownObject) {
  fifo_.Delete(NewPod("ns", "a", "1"));
  fifo_.DeleteLastKnown({"ns", "a"});
  EXPECT_THAT(Pop(), ElementsAre("nothing"));
}

TEST_F(DeltaFifoTest, DeletesByNameWithTheLastStateKnown) {
  known_.Put(NewPod("ns", "a", "1"));
  fifo_.DeleteLastKnown({"ns", "a"});
  EXPECT_THAT(PopAndApply(), ElementsAre("deleted a@1 unknown"));
  fifo_.Add(NewPod("ns", "b", "2"));
  fifo_.Update(NewPod("ns", "b", "3"));
  fifo_.DeleteLastKnown({"ns", "b"});
  EXPECT_THAT(PopAndApply(), ElementsAre("added b@2", "updated b@3", "deleted b@3 unknown"));
}

TEST_F(DeltaFifoTest, DetectsDeletionsByANewList) {
  known_.Replace({NewPod("ns", "a", "1"), NewPod("ns", "b", "1"), NewPod("ns", "c", "1")});
  fifo_.Update(NewPod("ns", "b", "2"));
  fifo_.Add(NewPod("ns", "queued-only", "3"));
  fifo_.Replace({NewPod("ns", "a", "4")});
  EXPECT_THAT(PopAndApply(), ElementsAre("updated b@2 initial", "deleted b@2 unknown initial"));
  EXPECT_THAT(PopAndApply(),
              ElementsAre("added queued-only@3 initial", "deleted queued-only@3 unknown initial"));
  EXPECT_THAT(PopAndApply(), ElementsAre("replaced a@4 initial"));
  EXPECT_THAT(PopAndApply(), ElementsAre("deleted c@1 unknown initial"));
  EXPECT_THAT(Pop(), ElementsAre("nothing"));
}

TEST_F(DeltaFifoTest, DoesNotRepeatAWatchedDeletionAfterAList) {
  known_.Put(NewPod("ns", "a", "1"));
  fifo_.Delete(NewPod("ns", "a", "2"));
  fifo_.Replace({});
  EXPECT_THAT(PopAndApply(), ElementsAre("deleted a@2 initial"));
  EXPECT_THAT(Pop(), ElementsAre("nothing"));
}

TEST_F(DeltaFifoTest, KeepsListedObjectsThatDoNotDecode) {
  known_.Replace({NewPod("ns", "a", "1"), NewPod("ns", "b", "1")});
  fifo_.Replace({}, {{"ns", "a"}});
  EXPECT_THAT(PopAndApply(), ElementsAre("deleted b@1 unknown initial"));
  EXPECT_THAT(Pop(), ElementsAre("nothing"));
}

TEST_F(DeltaFifoTest, DetectsTheDeletionOfAnObjectBeingProcessed) {
  fifo_.Replace({});
  fifo_.Add(NewPod("ns", "a", "1"));
  EXPECT_THAT(Pop(), ElementsAre("added a@1"));
  fifo_.Replace({});
  Done();
  EXPECT_THAT(PopAndApply(), ElementsAre("deleted a@1 unknown"));
  EXPECT_EQ(known_.size(), 0u);
}

TEST_F(DeltaFifoTest, AcceptsTheDeletionOfAnObjectBeingProcessed) {
  fifo_.Add(NewPod("ns", "a", "1"));
  EXPECT_THAT(Pop(), ElementsAre("added a@1"));
  fifo_.Delete(NewPod("ns", "a", "2"));
  Done();
  EXPECT_THAT(PopAndApply(), ElementsAre("deleted a@2"));
}

TEST_F(DeltaFifoTest, DoesNotRepeatADeletionBeingProcessed) {
  known_.Put(NewPod("ns", "a", "1"));
  fifo_.Delete(NewPod("ns", "a", "2"));
  EXPECT_THAT(Pop(), ElementsAre("deleted a@2"));
  fifo_.Replace({});
  Done();
  EXPECT_THAT(Pop(), ElementsAre("nothing"));
}

TEST_F(DeltaFifoTest, HasSyncedAfterTheFirstListIsProcessed) {
  EXPECT_FALSE(fifo_.HasSynced());
  fifo_.Replace({NewPod("ns", "a", "1"), NewPod("ns", "b", "1")});
  fifo_.Add(NewPod("ns", "later", "2"));
  EXPECT_FALSE(fifo_.HasSynced());
  EXPECT_THAT(PopAndApply(), ElementsAre("replaced a@1 initial"));
  EXPECT_FALSE(fifo_.HasSynced());
  EXPECT_THAT(Pop(), ElementsAre("replaced b@1 initial"));
  EXPECT_FALSE(fifo_.HasSynced());
  Done();
  EXPECT_TRUE(fifo_.HasSynced());
  EXPECT_THAT(PopAndApply(), ElementsAre("added later@2"));
  fifo_.Replace({NewPod("ns", "c", "3")});
  EXPECT_TRUE(fifo_.HasSynced());
}

TEST_F(DeltaFifoTest, HasSyncedAfterTheLastPartOfTheFirstListIsProcessed) {
  fifo_.AddListed({NewPod("ns", "a", "1")});
  EXPECT_THAT(PopAndApply(), ElementsAre("replaced a@1 initial"));
  EXPECT_FALSE(fifo_.HasSynced());
  fifo_.AddListed({NewPod("ns", "b", "2")});
  EXPECT_THAT(Pop(), ElementsAre("replaced b@2 initial"));
  fifo_.EndFirstList("9", {});
  EXPECT_FALSE(fifo_.HasSynced());
  EXPECT_EQ(fifo_.AppliedResourceVersion(), "");
  Done();
  EXPECT_TRUE(fifo_.HasSynced());
  EXPECT_EQ(fifo_.AppliedResourceVersion(), "9");
  EXPECT_EQ(fifo_.AppliedLists(), 1u);
  fifo_.Add(NewPod("ns", "later", "10"));
  EXPECT_THAT(PopAndApply(), ElementsAre("added later@10"));
}

TEST_F(DeltaFifoTest, AListTakesBackThePartsThatItDoesNotContain) {
  fifo_.AddListed({NewPod("ns", "a", "1"), NewPod("ns", "b", "1"), NewPod("ns", "c", "1")});
  PopAndApply();
  fifo_.Replace({NewPod("ns", "c", "2")}, {}, "9");
  EXPECT_THAT(PopAndApply(), ElementsAre("replaced b@1 initial", "deleted b@1 unknown initial"));
  EXPECT_THAT(PopAndApply(), ElementsAre("replaced c@1 initial", "replaced c@2 initial"));
  EXPECT_FALSE(fifo_.HasSynced());
  EXPECT_THAT(PopAndApply(), ElementsAre("deleted a@1 unknown initial"));
  EXPECT_TRUE(fifo_.HasSynced());
}

TEST_F(DeltaFifoTest, HasSyncedAfterAnEmptyList) {
  fifo_.Add(NewPod("ns", "a", "1"));
  EXPECT_FALSE(fifo_.HasSynced());
  EXPECT_THAT(PopAndApply(), ElementsAre("added a@1"));
  EXPECT_FALSE(fifo_.HasSynced());
  known_.Delete({"ns", "a"});
  fifo_.Replace({});
  EXPECT_TRUE(fifo_.HasSynced());
  EXPECT_THAT(*fifo_.Pop({}), IsEmpty());
}

TEST_F(DeltaFifoTest, ResyncsKnownObjectsWithoutPendingDeltas) {
  known_.Replace({NewPod("ns", "a", "1"), NewPod("ns", "b", "1"), NewPod("ns", "c", "1")});
  fifo_.Update(NewPod("ns", "b", "2"));
  EXPECT_THAT(Pop(), ElementsAre("updated b@2"));
  fifo_.Update(NewPod("ns", "c", "3"));
  fifo_.Resync();
  Done();
  std::vector<std::string> rest;
  for (int i = 0; i < 2; ++i) {
    for (const std::string& text : PopAndApply()) rest.push_back(text);
  }
  EXPECT_THAT(rest, UnorderedElementsAre("updated c@3", "sync a@1"));
  EXPECT_THAT(Pop(), ElementsAre("nothing"));
}

TEST_F(DeltaFifoTest, TakesAChangeTogetherWithItsVersion) {
  fifo_.Add(NewPod("ns", "a", "1"), "10");
  EXPECT_EQ(fifo_.AppliedResourceVersion(), "");
  EXPECT_THAT(PopAndApply(), ElementsAre("added a@1"));
  EXPECT_EQ(fifo_.AppliedResourceVersion(), "10");
  fifo_.Update(NewPod("ns", "a", "2"), "11");
  fifo_.Delete(NewPod("ns", "a", "2"), "12");
  EXPECT_THAT(PopAndApply(), ElementsAre("updated a@2", "deleted a@2"));
  EXPECT_EQ(fifo_.AppliedResourceVersion(), "12");
  fifo_.Delete(NewPod("ns", "unknown", "13"), "13");
  EXPECT_THAT(*fifo_.Pop({}), IsEmpty());
  EXPECT_EQ(fifo_.AppliedResourceVersion(), "13");
}

TEST_F(DeltaFifoTest, TracksTheVersionUpToWhichEverythingIsProcessed) {
  EXPECT_EQ(fifo_.AppliedResourceVersion(), "");
  fifo_.Replace({NewPod("ns", "a", "5"), NewPod("ns", "b", "7")}, {}, "9");
  EXPECT_EQ(fifo_.AppliedResourceVersion(), "");
  Pop();
  Done();
  fifo_.Update(NewPod("ns", "b", "10"));
  fifo_.SetResourceVersion("10");
  fifo_.Add(NewPod("ns", "c", "11"));
  fifo_.SetResourceVersion("11");
  EXPECT_EQ(fifo_.AppliedResourceVersion(), "");
  Pop();
  Done();
  EXPECT_EQ(fifo_.AppliedResourceVersion(), "10");
  Pop();
  fifo_.SetResourceVersion("12");
  EXPECT_EQ(fifo_.AppliedResourceVersion(), "10");
  Done();
  EXPECT_EQ(fifo_.AppliedResourceVersion(), "12");
  fifo_.SetResourceVersion("15");
  EXPECT_EQ(fifo_.AppliedResourceVersion(), "15");
}

}  // namespace
}  // namespace capstan
