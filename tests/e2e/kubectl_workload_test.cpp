// What users do with Deployments and their pods.

#include "kubectl_fixture.h"

namespace capstan::e2e {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST_P(Kubectl, DescribesADeployment) {
  CreateWeb();
  EXPECT_THAT(Run({"describe", "deployment", "web"}),
              AllOf(ContainsRegex("Replicas: +2 desired \\| 2 updated \\| 2 total \\| 2 available"),
                    ContainsRegex("Available +True +MinimumReplicasAvailable"),
                    ContainsRegex("NewReplicaSet: +web-"), HasSubstr("ScalingReplicaSet")));
  EXPECT_THAT(Run({"describe", "replicaset", "-l", "app=web"}),
              AllOf(ContainsRegex("Controlled By: +Deployment/web"),
                    ContainsRegex("Pods Status: +2 Running / 0 Waiting / 0 Succeeded / 0 Failed"),
                    HasSubstr("SuccessfulCreate")));
  EXPECT_THAT(Run({"describe", "pods", "-l", "app=web"}),
              AllOf(ContainsRegex("Controlled By: +ReplicaSet/web-"), ContainsRegex("Node: +node-"),
                    ContainsRegex("Ready +True")));
  EXPECT_THAT(Run({"describe", "node", "node-1"}), ContainsRegex("Name: +node-1"));
}

TEST_P(Kubectl, AppliesAnImageChange) {
  CreateWeb(1);
  const std::string manifest = Run({"create", "deployment", "web", "--image=nginx:2",
                                    "--replicas=1", "--dry-run=client", "-o", "yaml"});
  EXPECT_THAT(Run({"apply", "-f", "-"}, manifest), HasSubstr("deployment.apps/web configured"));
  Complete();
  EXPECT_EQ(Field("deployment/web", ".spec.template.spec.containers[*].image"), "nginx:2");
  EXPECT_EQ(Run({"apply", "-f", "-"}, manifest), "deployment.apps/web unchanged\n");
}

TEST_P(Kubectl, EditsADeployment) {
  CreateWeb(1);
  const CommandResult edited = Edit("s/replicas:.1/replicas:\\ 2/", "deployment/web");
  EXPECT_EQ(edited.exit_code, 0) << edited.errors;
  EXPECT_EQ(edited.output, "deployment.apps/web edited\n");
  Complete();
  EXPECT_EQ(Field("deployment/web", ".status.replicas"), "2");
}

TEST_P(Kubectl, RollsOutUndoesPausesAndRestarts) {
  CreateWeb();
  EXPECT_EQ(Run({"set", "image", "deployment/web", "nginx=nginx:2"}),
            "deployment.apps/web image updated\n");
  Complete();
  EXPECT_THAT(
      Run({"rollout", "history", "deployment/web"}),
      AllOf(HasSubstr("REVISION  CHANGE-CAUSE"), ContainsRegex("\n1 "), ContainsRegex("\n2 ")));
  EXPECT_THAT(Run({"rollout", "history", "deployment/web", "--revision=1"}), HasSubstr("nginx:1"));
  EXPECT_EQ(Run({"rollout", "undo", "deployment/web"}), "deployment.apps/web rolled back\n");
  Complete();
  EXPECT_EQ(Field("deployment/web", ".spec.template.spec.containers[0].image"), "nginx:1");

  EXPECT_EQ(Run({"rollout", "pause", "deployment/web"}), "deployment.apps/web paused\n");
  Run({"set", "image", "deployment/web", "nginx=nginx:3"});
  EXPECT_EQ(Run({"rollout", "resume", "deployment/web"}), "deployment.apps/web resumed\n");
  Complete();
  EXPECT_EQ(Run({"rollout", "restart", "deployment/web"}), "deployment.apps/web restarted\n");
  Complete();
  EXPECT_EQ(Run({"get", "pods", "-o", "jsonpath={.items[*].spec.containers[0].image}", "-l",
                 "app=web", "--field-selector=status.phase=Running"}),
            "nginx:3 nginx:3");
}

TEST_P(Kubectl, ScalesADeployment) {
  CreateWeb(1);
  EXPECT_EQ(Run({"scale", "deployment/web", "--replicas=3"}), "deployment.apps/web scaled\n");
  Complete();
  EXPECT_EQ(Field("deployment/web", ".status.readyReplicas"), "3");
  EXPECT_THAT(Try({"scale", "deployment/web", "--current-replicas=7", "--replicas=1"}).errors,
              HasSubstr("Expected replicas to be 7, was 3"));
}

TEST_P(Kubectl, DeletesInTheBackground) {
  CreateWeb(1);
  EXPECT_EQ(Run({"delete", "deployment", "web"}),
            "deployment.apps \"web\" deleted from " + world_->namespace_name() + " namespace\n");
  EXPECT_TRUE(Eventually([this] {
    return Run({"get", "replicasets,pods", "-l", "app=web", "-o", "name"}).empty();
  }));
}

TEST_P(Kubectl, DeletesInTheForeground) {
  CreateWeb(1);
  Run({"delete", "deployment", "web", "--cascade=foreground", "--timeout=30s"});
  EXPECT_THAT(Run({"get", "replicasets,pods", "-l", "app=web", "-o", "name"}), IsEmpty());
}

TEST_P(Kubectl, DeletesWithOrphanedDependents) {
  CreateWeb(1);
  Run({"delete", "deployment", "web", "--cascade=orphan", "--timeout=30s"});
  EXPECT_FALSE(Exists("deployment/web"));
  EXPECT_THAT(Run({"get", "replicasets", "-l", "app=web", "-o", "name"}),
              StartsWith("replicaset.apps/web-"));
  EXPECT_TRUE(Eventually([this] {
    return Run({"get", "replicasets", "-l", "app=web", "-o",
                "jsonpath={.items[*].metadata.ownerReferences}"})
        .empty();
  }));
  Run({"delete", "replicasets,pods", "--all", "--now"});
}

TEST_P(Kubectl, ShowsEvents) {
  CreateWeb(1);
  EXPECT_TRUE(Eventually([this] {
    return Run({"get", "events"}).find("ScalingReplicaSet") != std::string::npos;
  }));
  EXPECT_THAT(Run({"events", "--for=deployment/web"}),
              ContainsRegex("Normal +ScalingReplicaSet +Deployment/web"));
}

TEST_P(Kubectl, WaitsForConditionsAndDeletion) {
  CreateWeb(1);
  EXPECT_EQ(Run({"wait", "--for=condition=Available", "deployment/web", "--timeout=30s"}),
            "deployment.apps/web condition met\n");
  EXPECT_THAT(Run({"wait", "--for=jsonpath={.status.phase}=Running", "pod", "-l", "app=web",
                   "--timeout=30s"}),
              HasSubstr("condition met"));
  Run({"delete", "deployment", "web", "--wait=false"});
  Run({"wait", "--for=delete", "deployment/web", "--timeout=30s"});
  EXPECT_FALSE(Exists("deployment/web"));
}

}  // namespace
}  // namespace capstan::e2e
