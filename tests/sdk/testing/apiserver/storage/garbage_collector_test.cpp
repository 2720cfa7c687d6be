#include "apiserver/storage/garbage_collector.h"

#include <gmock/gmock.h>

#include <optional>

#include "sdk/testing/apiserver/write_fixture.h"

namespace capstan::testing::server {
namespace {

class GarbageCollection : public WriteTest {
 protected:
  // An owner reference to the stored object `name`.
  std::string Owner(const std::string& name, const std::string& more = {}) {
    return R"({"apiVersion":"v1","kind":"ConfigMap","name":")" + name + R"(","uid":")" +
           UidOf("configmaps", name) + "\"" + more + "}";
  }
  static std::string Absent(const std::string& name) {
    return R"({"apiVersion":"v1","kind":"ConfigMap","name":")" + name + R"(","uid":"gone"})";
  }
  void Make(const std::string& name, const std::string& owners = {}, const std::string& more = {}) {
    const Answer answer =
        Create("configmaps", ConfigMap(name, R"(,"ownerReferences":[)" + owners + "]" + more));
    ASSERT_EQ(answer.code, 201) << answer.message();
  }
  void Collect() {
    if (!collector_) collector_.emplace(store_, catalog_, runtime_);
    runtime_.RunUntilIdle();
  }
  size_t OwnersOf(const std::string& name) {
    return Stored("configmaps", name).Get("metadata", "ownerReferences").items().size();
  }

  std::optional<GarbageCollector> collector_;
};

constexpr char kBlocking[] = R"(,"blockOwnerDeletion":true)";

TEST_F(GarbageCollection, DeletesDependentsOfADeletedOwner) {
  Collect();
  Make("owner");
  Make("child", Owner("owner"));
  Make("grandchild", Owner("child"));
  Make("other");
  Collect();
  EXPECT_TRUE(Exists("configmaps", "grandchild"));
  ASSERT_EQ(Delete("configmaps", "owner").code, 200);
  EXPECT_TRUE(Exists("configmaps", "child"));
  Collect();
  EXPECT_FALSE(Exists("configmaps", "child"));
  EXPECT_FALSE(Exists("configmaps", "grandchild"));
  EXPECT_TRUE(Exists("configmaps", "other"));
}

TEST_F(GarbageCollection, CollectsObjectsThatExistedBeforeItsStart) {
  Make("child", Absent("owner"));
  Collect();
  EXPECT_FALSE(Exists("configmaps", "child"));
}

TEST_F(GarbageCollection, DistinguishesOwnersWithTheSameNameByUid) {
  Make("owner");
  Make("child", Absent("owner"));
  Collect();
  EXPECT_FALSE(Exists("configmaps", "child"));
  EXPECT_TRUE(Exists("configmaps", "owner"));
}

TEST_F(GarbageCollection, TreatsAnOwnerInAnotherNamespaceAsAbsent) {
  CreateNamespace("other");
  Make("owner");
  ASSERT_EQ(
      Create("configmaps", ConfigMap("child", R"(,"ownerReferences":[)" + Owner("owner") + "]"), "",
             "other")
          .code,
      201);
  Collect();
  EXPECT_FALSE(Exists("configmaps", "child", "other"));
}

TEST_F(GarbageCollection, OnlyDropsTheReferenceWhenAnotherOwnerExists) {
  Make("owner");
  Make("child", Owner("owner") + "," + Absent("gone"));
  Collect();
  EXPECT_TRUE(Exists("configmaps", "child"));
  EXPECT_EQ(OwnersOf("child"), 1u);
}

TEST_F(GarbageCollection, KeepsDependentsOfUnknownKinds) {
  Make("child", R"({"apiVersion":"x.io/v1","kind":"Thing","name":"t","uid":"u"})");
  Collect();
  EXPECT_TRUE(Exists("configmaps", "child"));
}

TEST_F(GarbageCollection, ForegroundDeletionRemovesBlockingDependentsFirst) {
  Make("owner");
  Make("child", Owner("owner", kBlocking), R"(,"finalizers":["x.io/y"])");
  Make("free", Owner("owner"), R"(,"finalizers":["x.io/y"])");
  Collect();
  ASSERT_EQ(Delete("configmaps", "owner", "propagationPolicy=Foreground").code, 200);
  Collect();
  EXPECT_FALSE(Stored("configmaps", "child").Get("metadata", "deletionTimestamp").IsNull());
  EXPECT_FALSE(Stored("configmaps", "free").Get("metadata", "deletionTimestamp").IsNull());
  EXPECT_TRUE(Exists("configmaps", "owner"));
  ASSERT_EQ(Merge("configmaps", "child", R"({"metadata":{"finalizers":null}})").code, 200);
  Collect();
  EXPECT_FALSE(Exists("configmaps", "child"));
  EXPECT_FALSE(Exists("configmaps", "owner"));
  EXPECT_TRUE(Exists("configmaps", "free"));
}

TEST_F(GarbageCollection, ForegroundDeletionRemovesGrandchildrenFirst) {
  Make("owner");
  Make("child", Owner("owner", kBlocking));
  Make("grandchild", Owner("child", kBlocking), R"(,"finalizers":["x.io/y"])");
  Collect();
  ASSERT_EQ(Delete("configmaps", "owner", "propagationPolicy=Foreground").code, 200);
  Collect();
  EXPECT_TRUE(Exists("configmaps", "owner"));
  EXPECT_TRUE(Exists("configmaps", "child"));
  ASSERT_EQ(Merge("configmaps", "grandchild", R"({"metadata":{"finalizers":null}})").code, 200);
  Collect();
  EXPECT_FALSE(Exists("configmaps", "grandchild"));
  EXPECT_FALSE(Exists("configmaps", "child"));
  EXPECT_FALSE(Exists("configmaps", "owner"));
}

TEST_F(GarbageCollection, ForegroundDeletionContinuesAfterARestart) {
  Make("owner");
  Make("child", Owner("owner", kBlocking));
  ASSERT_EQ(Delete("configmaps", "owner", "propagationPolicy=Foreground").code, 200);
  Collect();
  EXPECT_FALSE(Exists("configmaps", "owner"));
  EXPECT_FALSE(Exists("configmaps", "child"));
}

TEST_F(GarbageCollection, ForegroundDeletionKeepsDependentsWithAnotherOwner) {
  Make("owner");
  Make("second");
  Make("child", Owner("owner", kBlocking) + "," + Owner("second"));
  Collect();
  ASSERT_EQ(Delete("configmaps", "owner", "propagationPolicy=Foreground").code, 200);
  Collect();
  EXPECT_FALSE(Exists("configmaps", "owner"));
  EXPECT_EQ(OwnersOf("child"), 1u);
}

TEST_F(GarbageCollection, ForegroundDeletionResolvesOwnershipCycles) {
  Make("a");
  Make("b", Owner("a", kBlocking));
  const Answer answer = Merge(
      "configmaps", "a", R"({"metadata":{"ownerReferences":[)" + Owner("b", kBlocking) + "]}}");
  ASSERT_EQ(answer.code, 200) << answer.message();
  Collect();
  ASSERT_EQ(Delete("configmaps", "a", "propagationPolicy=Foreground").code, 200);
  Collect();
  EXPECT_FALSE(Exists("configmaps", "a"));
  EXPECT_FALSE(Exists("configmaps", "b"));
}

TEST_F(GarbageCollection, OrphansDependentsOnRequest) {
  Make("owner");
  Make("child", Owner("owner"));
  Collect();
  ASSERT_EQ(Delete("configmaps", "owner", "propagationPolicy=Orphan").code, 200);
  Collect();
  EXPECT_FALSE(Exists("configmaps", "owner"));
  EXPECT_TRUE(Exists("configmaps", "child"));
  EXPECT_EQ(OwnersOf("child"), 0u);
}

TEST_F(GarbageCollection, ContinuesAfterACompaction) {
  Collect();
  Make("owner");
  Make("child", Owner("owner"));
  ASSERT_EQ(Delete("configmaps", "owner").code, 200);
  store_.Compact();
  Collect();
  EXPECT_FALSE(Exists("configmaps", "child"));
}

TEST_F(GarbageCollection, DeletesTheObjectsOfATerminatingNamespace) {
  CreateNamespace("old");
  ASSERT_EQ(Create("configmaps", ConfigMap("a"), "", "old").code, 201);
  ASSERT_EQ(Create("deployments.apps", Deployment("web"), "", "old").code, 201);
  Make("kept");
  Collect();
  ASSERT_EQ(Delete("namespaces", "old").code, 200);
  Collect();
  EXPECT_FALSE(Exists("configmaps", "a", "old"));
  EXPECT_FALSE(Exists("deployments.apps", "web", "old"));
  EXPECT_FALSE(Exists("namespaces", "old", ""));
  EXPECT_TRUE(Exists("configmaps", "kept"));
}

TEST_F(GarbageCollection, KeepsANamespaceUntilItsPodsHaveEnded) {
  CreateNamespace("old");
  ASSERT_EQ(Create("pods", Pod("p", "node"), "", "old").code, 201);
  ASSERT_EQ(Delete("namespaces", "old").code, 200);
  Collect();
  EXPECT_FALSE(Stored("pods", "p", "old").Get("metadata", "deletionTimestamp").IsNull());
  EXPECT_TRUE(Exists("namespaces", "old", ""));
  ASSERT_EQ(Send({.verb = "delete",
                  .resource = "pods",
                  .name = "p",
                  .query = "gracePeriodSeconds=0",
                  .namespace_ = "old"})
                .code,
            200);
  Collect();
  EXPECT_FALSE(Exists("namespaces", "old", ""));
  CreateNamespace("old");
  Collect();
  EXPECT_TRUE(Exists("namespaces", "old", ""));
}

TEST_F(GarbageCollection, StopsWithItsOwner) {
  Make("child", Absent("owner"));
  Collect();
  collector_.reset();
  Make("late", Absent("owner"));
  runtime_.RunUntilIdle();
  EXPECT_TRUE(Exists("configmaps", "late"));
}

}  // namespace
}  // namespace capstan::testing::server
