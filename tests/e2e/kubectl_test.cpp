// What people do with a cluster, by stock kubectl, on each server with a running manager.

#include <csignal>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api_server.h"
#include "process.h"
#include "scenarios/world.h"

namespace capstan::e2e {
namespace {

using scenarios::WorldKind;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

using Arguments = std::vector<std::string>;

class Kubectl : public ::testing::TestWithParam<WorldKind> {
 protected:
  Kubectl()
      : world_(scenarios::NewWorld(GetParam())),
        server_(ApiServer::Shared(GetParam() == WorldKind::kReal ? ServerKind::kReal
                                                                 : ServerKind::kPlayground)),
        manager_(world_->StartManager({.leader_elect = false})) {}

  void TearDown() override {
    EXPECT_EQ(manager_->Terminate(), 0) << manager_->LogTail();
    manager_.reset();
  }

  // What kubectl writes in this test's namespace. It must succeed.
  std::string Run(Arguments arguments, const std::string& input = "") {
    const CommandResult result = Try(arguments, input);
    std::string command = "kubectl";
    for (const std::string& argument : arguments) command += " " + argument;
    EXPECT_EQ(result.exit_code, 0) << command << "\n" << result.errors << result.output;
    return result.output;
  }

  CommandResult Try(Arguments arguments, const std::string& input = "") {
    arguments.insert(arguments.begin(), {"--namespace", world_->namespace_name()});
    return server_.TryKubectl(std::move(arguments), input, Seconds(60));
  }

  // With what `sed` makes of what the editor is given.
  CommandResult Edit(const std::string& expression, const std::string& object) {
    return RunCommand({"/usr/bin/env", "KUBE_EDITOR=sed -i " + expression, ServerBinary("kubectl"),
                       "--kubeconfig=" + server_.kubeconfig().string(),
                       "--namespace=" + world_->namespace_name(), "edit", object},
                      "", Seconds(60));
  }

  ::testing::AssertionResult Eventually(const std::function<bool()>& is) {
    if (world_->Until(is, Seconds(30))) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "not within 30 s";
  }

  // A complete Deployment "web".
  void CreateWeb(int replicas = 2) {
    EXPECT_EQ(Run({"create", "deployment", "web", "--image=nginx:1",
                   "--replicas=" + std::to_string(replicas)}),
              "deployment.apps/web created\n");
    Complete();
  }

  void Complete() {
    EXPECT_THAT(Run({"rollout", "status", "deployment/web", "--timeout=30s"}),
                HasSubstr("deployment \"web\" successfully rolled out"));
  }

  std::string Field(const std::string& object, const std::string& path) {
    return Run({"get", object, "-o", "jsonpath={" + path + "}"});
  }

  bool Exists(const std::string& object) { return Try({"get", object}).exit_code == 0; }

  const std::unique_ptr<scenarios::World> world_;
  ApiServer& server_;
  std::unique_ptr<scenarios::Manager> manager_;
};

constexpr char kConfig[] = R"(
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {color: blue}
)";

std::string Replaced(std::string text, const std::string& what, const std::string& by) {
  const size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

TEST_P(Kubectl, GetsInEveryForm) {
  CreateWeb();
  EXPECT_THAT(Run({"get", "deployments"}),
              ContainsRegex("NAME +READY +UP-TO-DATE +AVAILABLE +AGE\nweb +2/2 +2 +2 +[0-9]+s\n"));
  EXPECT_THAT(Run({"get", "deploy", "-o", "wide"}),
              ContainsRegex("AGE +CONTAINERS +IMAGES +SELECTOR\nweb .* nginx +nginx:1 +app=web\n"));
  EXPECT_EQ(Run({"get", "deployment", "web", "-o", "name"}), "deployment.apps/web\n");
  EXPECT_THAT(Run({"get", "deployment", "web", "-o", "yaml"}),
              AllOf(StartsWith("apiVersion: apps/v1\nkind: Deployment\n"),
                    HasSubstr("  replicas: 2\n"), Not(HasSubstr("managedFields"))));
  EXPECT_THAT(Run({"get", "deployment", "web", "-o", "json"}), HasSubstr("\"replicas\": 2,"));
  EXPECT_EQ(Field("deployment/web", ".status.readyReplicas"), "2");
  EXPECT_THAT(Run({"get", "replicasets"}),
              ContainsRegex("NAME +DESIRED +CURRENT +READY +AGE\nweb-[a-z0-9]+ +2 +2 +2 "));
  EXPECT_THAT(
      Run({"get", "pods", "-l", "app=web", "-o", "wide"}),
      ContainsRegex("NOMINATED NODE +READINESS GATES\n"
                    "web-.* 1/1 +Running +0 +[0-9]+s +[0-9.]+ +node-[123] +<none> +<none>"));
  EXPECT_THAT(Run({"get", "all"}), AllOf(HasSubstr("pod/web-"), HasSubstr("deployment.apps/web"),
                                         HasSubstr("replicaset.apps/web-")));
  EXPECT_THAT(Run({"get", "pods", "--sort-by=.metadata.name", "--no-headers", "-A"}),
              HasSubstr(world_->namespace_name()));
  EXPECT_THAT(Run({"get", "nodes"}), ContainsRegex("node-1 +Ready +<none> "));
}

TEST_P(Kubectl, SaysWhatIsNotThere) {
  const CommandResult missing = Try({"get", "deployment", "nope"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_EQ(missing.errors, "Error from server (NotFound): deployments.apps \"nope\" not found\n");
  EXPECT_THAT(Try({"get", "gadgets"}).errors,
              HasSubstr("the server doesn't have a resource type \"gadgets\""));
  EXPECT_EQ(Try({"get", "deployments"}).errors,
            "No resources found in " + world_->namespace_name() + " namespace.\n");
}

TEST_P(Kubectl, Watches) {
  Process watch({ServerBinary("kubectl"), "--kubeconfig=" + server_.kubeconfig().string(),
                 "--namespace=" + world_->namespace_name(), "get", "configmap", "-w",
                 "--output-watch-events", "--no-headers"},
                server_.directory() / (world_->namespace_name() + "-watch.log"));
  // On the real server a controller's ConfigMap may come first.
  Run({"create", "configmap", "a", "--from-literal=k=v"});
  EXPECT_TRUE(Eventually([&] { return watch.LogText().find("ADDED") != std::string::npos; }));
  Run({"label", "configmap", "a", "x=y"});
  Run({"delete", "configmap", "a"});
  EXPECT_TRUE(Eventually([&] { return watch.LogText().find("DELETED") != std::string::npos; }));
  EXPECT_THAT(watch.LogText(), ContainsRegex("ADDED +a +1 .*\nMODIFIED +a +1 .*\nDELETED +a +1 "));
  watch.Kill(SIGTERM);
}

TEST_P(Kubectl, Describes) {
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

TEST_P(Kubectl, CreatesWhatItIsGiven) {
  EXPECT_EQ(Run({"create", "-f", "-"}, kConfig), "configmap/settings created\n");
  EXPECT_THAT(Try({"create", "-f", "-"}, kConfig).errors,
              HasSubstr("(AlreadyExists): error when creating \"STDIN\": configmaps \"settings\" "
                        "already exists"));
  EXPECT_EQ(Run({"create", "configmap", "more", "--from-literal=k=v"}), "configmap/more created\n");
  EXPECT_EQ(Run({"create", "secret", "generic", "keys", "--from-literal=k=v"}),
            "secret/keys created\n");
  EXPECT_EQ(Field("secret/keys", ".data.k"), "dg==");
  EXPECT_EQ(Run({"create", "serviceaccount", "robot"}), "serviceaccount/robot created\n");
  EXPECT_EQ(Run({"create", "service", "clusterip", "web", "--tcp=80:8080"}),
            "service/web created\n");
  EXPECT_EQ(Field("service/web", ".spec.ports[0].targetPort"), "8080");
  EXPECT_THAT(Run({"create", "deployment", "trial", "--image=nginx", "--dry-run=server"}),
              HasSubstr("deployment.apps/trial created (server dry run)"));
  EXPECT_FALSE(Exists("deployment/trial"));
  EXPECT_EQ(Run({"run", "single", "--image=nginx"}), "pod/single created\n");
  EXPECT_THAT(Run({"expose", "pod", "single", "--port=80"}), HasSubstr("service/single exposed"));
}

TEST_P(Kubectl, RefusesWhatTheServerRefuses) {
  EXPECT_THAT(Try({"create", "-f", "-"}, Replaced(kConfig, "data: {color", "date: {color")).errors,
              HasSubstr("strict decoding error: unknown field \"date\""));
  EXPECT_THAT(
      Try({"create", "deployment", "Web", "--image=nginx"}).errors,
      HasSubstr("Deployment.apps \"Web\" is invalid: metadata.name: Invalid value: \"Web\""));
  EXPECT_THAT(Try({"create", "deployment", "web", "--image=nginx", "--replicas=-1"}).errors,
              HasSubstr("spec.replicas: Invalid value: -1: must be greater than or equal to 0"));
}

TEST_P(Kubectl, AppliesFromTheClient) {
  EXPECT_EQ(Run({"apply", "-f", "-"}, kConfig), "configmap/settings created\n");
  EXPECT_EQ(Run({"apply", "-f", "-"}, kConfig), "configmap/settings unchanged\n");
  const std::string changed = Replaced(kConfig, "color: blue", "shape: round");
  EXPECT_EQ(Run({"apply", "-f", "-", "--dry-run=server"}, changed),
            "configmap/settings configured (server dry run)\n");
  const CommandResult difference = Try({"diff", "-f", "-"}, changed);
  EXPECT_EQ(difference.exit_code, 1) << difference.errors;
  EXPECT_THAT(difference.output, AllOf(HasSubstr("-  color: blue"), HasSubstr("+  shape: round")));
  EXPECT_EQ(Field("configmap/settings", ".data"), "{\"color\":\"blue\"}");
  EXPECT_EQ(Run({"apply", "-f", "-"}, changed), "configmap/settings configured\n");
  EXPECT_EQ(Field("configmap/settings", ".data"), "{\"shape\":\"round\"}");
  EXPECT_EQ(Try({"diff", "-f", "-"}, changed).exit_code, 0);
}

TEST_P(Kubectl, AppliesADeploymentAgainWithAnotherImage) {
  CreateWeb(1);
  const std::string manifest = Run({"create", "deployment", "web", "--image=nginx:2",
                                    "--replicas=1", "--dry-run=client", "-o", "yaml"});
  EXPECT_THAT(Run({"apply", "-f", "-"}, manifest), HasSubstr("deployment.apps/web configured"));
  Complete();
  EXPECT_EQ(Field("deployment/web", ".spec.template.spec.containers[*].image"), "nginx:2");
  EXPECT_EQ(Run({"apply", "-f", "-"}, manifest), "deployment.apps/web unchanged\n");
}

TEST_P(Kubectl, AppliesOnTheServer) {
  const Arguments apply{"apply", "--server-side", "-f", "-"};
  EXPECT_EQ(Run(apply, kConfig), "configmap/settings serverside-applied\n");
  const std::string changed = Replaced(kConfig, "blue", "red");
  Arguments other = apply;
  other.push_back("--field-manager=other");
  const CommandResult conflict = Try(other, changed);
  EXPECT_EQ(conflict.exit_code, 1);
  EXPECT_THAT(conflict.errors,
              HasSubstr("Apply failed with 1 conflict: conflict with \"kubectl\": .data.color"));
  other.push_back("--force-conflicts");
  EXPECT_EQ(Run(other, changed), "configmap/settings serverside-applied\n");
  EXPECT_EQ(Field("configmap/settings", ".data.color"), "red");
}

TEST_P(Kubectl, Edits) {
  CreateWeb(1);
  const CommandResult edited = Edit("s/replicas:.1/replicas:\\ 2/", "deployment/web");
  EXPECT_EQ(edited.exit_code, 0) << edited.errors;
  EXPECT_EQ(edited.output, "deployment.apps/web edited\n");
  Complete();
  EXPECT_EQ(Field("deployment/web", ".status.replicas"), "2");
}

TEST_P(Kubectl, RollsOutAndBack) {
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

TEST_P(Kubectl, Scales) {
  CreateWeb(1);
  EXPECT_EQ(Run({"scale", "deployment/web", "--replicas=3"}), "deployment.apps/web scaled\n");
  Complete();
  EXPECT_EQ(Field("deployment/web", ".status.readyReplicas"), "3");
  EXPECT_THAT(Try({"scale", "deployment/web", "--current-replicas=7", "--replicas=1"}).errors,
              HasSubstr("Expected replicas to be 7, was 3"));
}

TEST_P(Kubectl, LabelsAndAnnotates) {
  Run({"create", "-f", "-"}, kConfig);
  EXPECT_EQ(Run({"label", "configmap/settings", "tier=front"}), "configmap/settings labeled\n");
  EXPECT_THAT(Try({"label", "configmap/settings", "tier=back"}).errors,
              HasSubstr("'tier' already has a value (front), and --overwrite is false"));
  EXPECT_EQ(Run({"get", "configmaps", "-l", "tier in (front)", "-o", "name"}),
            "configmap/settings\n");
  EXPECT_EQ(Run({"label", "configmap/settings", "tier-"}), "configmap/settings unlabeled\n");
  EXPECT_EQ(Run({"annotate", "configmap/settings", "note=a b"}), "configmap/settings annotated\n");
  EXPECT_EQ(Field("configmap/settings", ".metadata.annotations.note"), "a b");
}

TEST_P(Kubectl, PatchesInThreeWays) {
  CreateWeb(1);
  const auto patch = [this](const std::string& type, const std::string& text) {
    return Run({"patch", "deployment", "web", "--type=" + type, "-p", text});
  };
  EXPECT_EQ(patch("strategic", R"({"spec":{"template":{"spec":{"containers":[{"name":"side",
      "image":"helper"}]}}}})"),
            "deployment.apps/web patched\n");
  EXPECT_EQ(Field("deployment/web", ".spec.template.spec.containers[*].image"), "helper nginx:1");
  EXPECT_EQ(patch("merge", R"({"spec":{"minReadySeconds":1}})"), "deployment.apps/web patched\n");
  EXPECT_EQ(patch("json", R"([{"op":"replace","path":"/spec/minReadySeconds","value":0}])"),
            "deployment.apps/web patched\n");
  EXPECT_EQ(patch("merge", R"({"spec":{"replicas":1}})"),
            "deployment.apps/web patched (no change)\n");
  EXPECT_NE(Try({"patch", "deployment", "web", "--type=json", "-p",
                 R"([{"op":"test","path":"/spec/replicas","value":9}])"})
                .exit_code,
            0);
}

TEST_P(Kubectl, Replaces) {
  Run({"create", "-f", "-"}, kConfig);
  EXPECT_EQ(Run({"replace", "-f", "-"}, Replaced(kConfig, "blue", "green")),
            "configmap/settings replaced\n");
  EXPECT_EQ(Field("configmap/settings", ".data.color"), "green");
  EXPECT_THAT(Try({"replace", "-f", "-"}, Replaced(kConfig, "settings", "nope")).errors,
              HasSubstr("(NotFound)"));
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

TEST_P(Kubectl, DeletesAndLeavesOrphans) {
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

TEST_P(Kubectl, Waits) {
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

TEST_P(Kubectl, FindsOutWhatThereIs) {
  EXPECT_THAT(Run({"api-resources"}),
              AllOf(ContainsRegex("deployments +deploy +apps/v1 +true +Deployment"),
                    ContainsRegex("nodes +no +v1 +false +Node"),
                    ContainsRegex("leases +coordination.k8s.io/v1 +true +Lease")));
  EXPECT_THAT(Run({"api-versions"}), AllOf(HasSubstr("apps/v1\n"), HasSubstr("\nv1\n")));
  EXPECT_THAT(Run({"version"}), HasSubstr("Server Version: v1.36.3"));
  EXPECT_THAT(Run({"cluster-info"}), HasSubstr("is running at"));
  EXPECT_EQ(Run({"get", "--raw", "/readyz"}), "ok");
}

TEST_P(Kubectl, Explains) {
  EXPECT_THAT(Run({"explain", "deployment.spec.strategy"}),
              AllOf(HasSubstr("GROUP:      apps\nKIND:       Deployment\nVERSION:    v1\n"),
                    HasSubstr("FIELD: strategy <DeploymentStrategy>"),
                    HasSubstr("rollingUpdate\t<RollingUpdateDeployment>")));
  EXPECT_THAT(Run({"explain", "pods", "--recursive"}),
              AllOf(HasSubstr("containers\t<[]Container> -required-"), HasSubstr("nodeName")));
  for (const char* kind : {"configmap", "namespace", "node", "secret", "serviceaccount", "service",
                           "replicaset", "lease", "event", "customresourcedefinition"}) {
    EXPECT_THAT(Run({"explain", kind}), HasSubstr("FIELDS:")) << kind;
  }
  EXPECT_THAT(Try({"explain", "deployment.spec.nope"}).errors, HasSubstr("does not exist"));
}

TEST_P(Kubectl, AsksWhatItMayDo) {
  EXPECT_EQ(Run({"auth", "can-i", "create", "deployments"}), "yes\n");
  EXPECT_THAT(Run({"auth", "can-i", "--list"}),
              ContainsRegex("\\*\\.\\* +\\[\\] +\\[\\] +\\[\\*\\]"));
  EXPECT_THAT(Run({"auth", "whoami"}), HasSubstr("Username"));
}

TEST_P(Kubectl, WorksWithCustomResources) {
  const std::string group = world_->namespace_name() + ".example.com";
  const std::string definition = R"({"apiVersion":"apiextensions.k8s.io/v1",
      "kind":"CustomResourceDefinition","metadata":{"name":"widgets.)" +
                                 group + R"("},
      "spec":{"group":")" + group +
                                 R"(","scope":"Namespaced",
      "names":{"plural":"widgets","singular":"widget","kind":"Widget","shortNames":["wd"]},
      "versions":[{"name":"v1","served":true,"storage":true,
        "additionalPrinterColumns":[{"name":"Size","type":"integer","jsonPath":".spec.size"}],
        "schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",
          "properties":{"size":{"type":"integer","minimum":1}}}}}}}]}})";
  Run({"create", "-f", "-"}, definition);
  Run({"wait", "--for=condition=Established", "crd/widgets." + group, "--timeout=30s"});
  const std::string widget = R"({"apiVersion":")" + group + R"(/v1","kind":"Widget",
      "metadata":{"name":"w"},"spec":{"size":3}})";
  EXPECT_TRUE(Eventually([&] { return Try({"apply", "-f", "-"}, widget).exit_code == 0; }));
  EXPECT_THAT(Run({"get", "widgets." + group}), ContainsRegex("NAME +SIZE\nw +3\n"));
  // The real server's discovery may know the kind, forget it for a moment, and know it again.
  std::string refusal;
  EXPECT_TRUE(Eventually([&] {
    refusal =
        Try({"patch", "widgets." + group, "w", "--type=merge", "-p", R"({"spec":{"size":0}})"})
            .errors;
    return refusal.find(
               "spec.size: Invalid value: 0: spec.size in body should be greater than or "
               "equal to 1") != std::string::npos;
  })) << refusal;
  EXPECT_TRUE(Eventually([&] {
    return Try({"explain", "widgets.spec", "--api-version=" + group + "/v1"}).output.find("size") !=
           std::string::npos;
  }));
  Run({"delete", "crd", "widgets." + group, "--timeout=30s"});
  EXPECT_TRUE(Eventually([&] { return Try({"get", "widgets." + group}).exit_code != 0; }));
}

INSTANTIATE_TEST_SUITE_P(World, Kubectl, ::testing::ValuesIn(scenarios::Worlds()),
                         [](const auto& test) { return scenarios::NameOf(test.param); });

}  // namespace
}  // namespace capstan::e2e
