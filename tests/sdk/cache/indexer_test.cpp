#include <capstan/cache/indexer.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>

#include "pods.h"

#include <capstan/cache/lister.h>

namespace capstan {
namespace {

using testing::AsPod;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kOwnerUid;
using testing::NewPod;
using testing::Pod;
using testing::Versions;

void ByNode(const void* object, std::vector<std::string>& keys) {
  const InternedString& node = static_cast<const Pod*>(object)->spec.nodeName;
  if (!node.empty()) keys.push_back(node.str());
}

std::shared_ptr<Pod> PodOn(std::string_view name, std::string_view node,
                           std::string_view version = "1") {
  auto pod = NewPod("ns", name, version);
  pod->spec.nodeName = node;
  return pod;
}

TEST(Indexer, FindsObjectsByNamespaceAndName) {
  Indexer indexer(DescriptorOf<Pod>());
  EXPECT_EQ(indexer.Get("ns", "a"), nullptr);
  const ObjectPtr pod = NewPod("ns", "a");
  EXPECT_EQ(indexer.Put(pod), nullptr);
  indexer.Put(NewPod("other", "a"));
  EXPECT_EQ(indexer.Get("ns", "a"), pod);
  EXPECT_EQ(indexer.Get(NamespacedName{"ns", "a"}), pod);
  EXPECT_EQ(indexer.Get("ns", "b"), nullptr);
  EXPECT_EQ(indexer.size(), 2u);
}

TEST(Indexer, PutAndDeleteReturnTheFormerObject) {
  Indexer indexer(DescriptorOf<Pod>());
  const ObjectPtr first = NewPod("ns", "a", "1");
  const ObjectPtr second = NewPod("ns", "a", "2");
  indexer.Put(first);
  EXPECT_EQ(indexer.Put(second), first);
  EXPECT_EQ(indexer.size(), 1u);
  EXPECT_EQ(indexer.Delete({"ns", "a"}), second);
  EXPECT_EQ(indexer.Delete({"ns", "a"}), nullptr);
  EXPECT_EQ(indexer.size(), 0u);
}

TEST(Indexer, ListsByNamespaceByControllerAndOrphans) {
  const auto indexer = std::make_shared<Indexer>(DescriptorOf<Pod>());
  indexer->Put(NewPod("ns", "a", "1", kOwnerUid));
  indexer->Put(NewPod("ns", "b", "1", kOwnerUid));
  indexer->Put(NewPod("ns", "c", "1", "another-owner"));
  indexer->Put(NewPod("ns", "d"));
  indexer->Put(NewPod("other", "e"));
  const Lister<Pod> lister(indexer);
  EXPECT_EQ(lister.ListNamespace("ns").size(), 4u);
  EXPECT_EQ(lister.ListNamespace("other").at(0)->metadata.name, "e");
  EXPECT_EQ(lister.OwnedBy(Uid(kOwnerUid)).size(), 2u);
  EXPECT_EQ(lister.OwnedBy(Uid("another-owner")).at(0)->metadata.name, "c");
  EXPECT_THAT(lister.OwnedBy(Uid("nobody")), IsEmpty());
  EXPECT_EQ(lister.Orphans("ns").at(0)->metadata.name, "d");
  EXPECT_EQ(lister.Orphans("other").size(), 1u);
  EXPECT_THAT(lister.Orphans("nowhere"), IsEmpty());
}

TEST(Indexer, UpdatesTheControllerIndexAtAdoptionAndRelease) {
  Indexer indexer(DescriptorOf<Pod>());
  indexer.Put(NewPod("ns", "a", "1"));
  indexer.Put(NewPod("ns", "a", "2", kOwnerUid));
  EXPECT_THAT(indexer.ByIndex(kOrphanIndex, "ns"), IsEmpty());
  EXPECT_THAT(Versions(indexer.ByIndex(kOwnerUidIndex, kOwnerUid)), ElementsAre("a@2"));
  indexer.Put(NewPod("ns", "a", "3"));
  EXPECT_THAT(indexer.ByIndex(kOwnerUidIndex, kOwnerUid), IsEmpty());
  EXPECT_THAT(Versions(indexer.ByIndex(kOrphanIndex, "ns")), ElementsAre("a@3"));
}

TEST(Indexer, UpdatesCustomIndices) {
  Indexer indexer(DescriptorOf<Pod>());
  indexer.Put(PodOn("before", "n1"));
  ASSERT_TRUE(indexer.AddIndex("node", ByNode).ok());
  indexer.Put(PodOn("a", "n1"));
  indexer.Put(PodOn("b", "n2"));
  indexer.Put(PodOn("pending", ""));
  EXPECT_THAT(Versions(indexer.ByIndex("node", "n1")), ElementsAre("a@1", "before@1"));
  indexer.Put(PodOn("a", "n2", "2"));
  EXPECT_THAT(Versions(indexer.ByIndex("node", "n2")), ElementsAre("a@2", "b@1"));
  indexer.Delete({"ns", "b"});
  indexer.Delete({"ns", "before"});
  EXPECT_THAT(Versions(indexer.ByIndex("node", "n2")), ElementsAre("a@2"));
  EXPECT_THAT(indexer.ByIndex("node", "n1"), IsEmpty());
  EXPECT_THAT(indexer.ByIndex("no such index", "n1"), IsEmpty());
}

TEST(Indexer, IndexesAnObjectOnceUnderARepeatedKey) {
  Indexer indexer(DescriptorOf<Pod>());
  ASSERT_TRUE(indexer
                  .AddIndex("twice",
                            [](const void*, std::vector<std::string>& keys) {
                              keys.insert(keys.end(), {"x", "y", "x"});
                            })
                  .ok());
  indexer.Put(NewPod("ns", "a"));
  EXPECT_EQ(indexer.ByIndex("twice", "x").size(), 1u);
  indexer.Put(NewPod("ns", "a", "2"));
  EXPECT_EQ(indexer.ByIndex("twice", "x").size(), 1u);
  indexer.Delete({"ns", "a"});
  EXPECT_THAT(indexer.ByIndex("twice", "x"), IsEmpty());
  EXPECT_THAT(indexer.ByIndex("twice", "y"), IsEmpty());
}

TEST(Indexer, RefusesADuplicateIndexName) {
  Indexer indexer(DescriptorOf<Pod>());
  EXPECT_TRUE(indexer.AddIndex("node", ByNode).ok());
  EXPECT_THAT(indexer.AddIndex("node", ByNode).message(), HasSubstr("\"node\""));
  EXPECT_FALSE(indexer.AddIndex(std::string(kOwnerUidIndex), ByNode).ok());
  EXPECT_FALSE(indexer.AddIndex(std::string(kOrphanIndex), ByNode).ok());
  EXPECT_FALSE(indexer.AddIndex("none", nullptr).ok());
}

TEST(Indexer, ReplaceSetsTheWholeContent) {
  Indexer indexer(DescriptorOf<Pod>());
  ASSERT_TRUE(indexer.AddIndex("node", ByNode).ok());
  indexer.Put(PodOn("a", "n1"));
  indexer.Replace({PodOn("b", "n1"), NewPod("ns", "c", "1", kOwnerUid)});
  EXPECT_EQ(indexer.Get("ns", "a"), nullptr);
  EXPECT_THAT(Versions(indexer.List()), ElementsAre("b@1", "c@1"));
  EXPECT_THAT(Versions(indexer.ByIndex("node", "n1")), ElementsAre("b@1"));
  EXPECT_THAT(Versions(indexer.ByIndex(kOwnerUidIndex, kOwnerUid)), ElementsAre("c@1"));
}

// Compares the indexer with standard maps over a long random history.
TEST(Indexer, AgreesWithAReferenceModelUnderRandomChanges) {
  Indexer indexer(DescriptorOf<Pod>());
  ASSERT_TRUE(indexer.AddIndex("node", ByNode).ok());
  std::map<std::pair<std::string, std::string>, ObjectPtr> model;
  std::mt19937 random(7);
  const auto below = [&](unsigned n) { return random() % n; };
  for (int step = 0; step < 20'000; ++step) {
    const std::string namespace_ = "ns" + std::to_string(below(4));
    const std::string name = "pod-with-a-long-name-" + std::to_string(below(300));
    if (below(3) == 0) {
      const ObjectPtr removed = indexer.Delete({namespace_, name});
      const auto found = model.find({namespace_, name});
      ASSERT_EQ(removed, found == model.end() ? nullptr : found->second);
      if (removed) model.erase(found);
    } else {
      const unsigned owner = below(6);
      auto pod = NewPod(namespace_, name, std::to_string(step),
                        owner == 0 ? "" : "owner-" + std::to_string(owner));
      pod->spec.nodeName = below(5) == 0 ? "" : "node-" + std::to_string(below(9));
      indexer.Put(pod);
      model[{namespace_, name}] = pod;
    }
    if (step % 97 != 0) continue;
    ASSERT_EQ(indexer.size(), model.size());
    std::map<std::string, std::set<ObjectPtr>> namespaces, owners, orphans, nodes;
    for (const auto& [key, object] : model) {
      const Pod& pod = AsPod(object);
      ASSERT_EQ(indexer.Get(key.first, key.second), object);
      namespaces[key.first].insert(object);
      const api::OwnerReference* owner = api::ControllerOf(pod.metadata);
      (owner ? owners[owner->uid.str()] : orphans[key.first]).insert(object);
      if (!pod.spec.nodeName.empty()) nodes[pod.spec.nodeName.str()].insert(object);
    }
    const auto expect = [&](const auto& groups, auto&& lookup) {
      for (const auto& [key, objects] : groups) {
        const std::vector<ObjectPtr> found = lookup(key);
        ASSERT_EQ(found.size(), objects.size());
        ASSERT_EQ(std::set<ObjectPtr>(found.begin(), found.end()), objects);
      }
    };
    expect(namespaces, [&](const auto& key) { return indexer.ListNamespace(key); });
    expect(owners, [&](const auto& key) { return indexer.ByIndex(kOwnerUidIndex, key); });
    expect(orphans, [&](const auto& key) { return indexer.ByIndex(kOrphanIndex, key); });
    expect(nodes, [&](const auto& key) { return indexer.ByIndex("node", key); });
  }
}

}  // namespace
}  // namespace capstan
