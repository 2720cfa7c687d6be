// What users do with objects of any kind.

#include <csignal>

#include "kubectl_fixture.h"

namespace capstan::e2e {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

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

TEST_P(Kubectl, GetsInEveryOutputFormat) {
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

TEST_P(Kubectl, ReportsMissingObjects) {
  const CommandResult missing = Try({"get", "deployment", "nope"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_EQ(missing.errors, "Error from server (NotFound): deployments.apps \"nope\" not found\n");
  EXPECT_THAT(Try({"get", "gadgets"}).errors,
              HasSubstr("the server doesn't have a resource type \"gadgets\""));
  EXPECT_EQ(Try({"get", "deployments"}).errors,
            "No resources found in " + world_->namespace_name() + " namespace.\n");
}

TEST_P(Kubectl, WatchesChanges) {
  Process watch({ServerBinary("kubectl"), "--kubeconfig=" + server_.kubeconfig().string(),
                 "--namespace=" + world_->namespace_name(), "get", "configmap", "-w",
                 "--output-watch-events", "--no-headers"},
                server_.directory() / (world_->namespace_name() + "-watch.log"));
  // On the real server the ConfigMap of a controller may come first.
  Run({"create", "configmap", "a", "--from-literal=k=v"});
  EXPECT_TRUE(Eventually([&] { return watch.LogText().find("ADDED") != std::string::npos; }));
  Run({"label", "configmap", "a", "x=y"});
  Run({"delete", "configmap", "a"});
  EXPECT_TRUE(Eventually([&] { return watch.LogText().find("DELETED") != std::string::npos; }));
  EXPECT_THAT(watch.LogText(), ContainsRegex("ADDED +a +1 .*\nMODIFIED +a +1 .*\nDELETED +a +1 "));
  watch.Kill(SIGTERM);
}

TEST_P(Kubectl, CreatesObjects) {
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

TEST_P(Kubectl, ReportsErrorsOfTheServer) {
  EXPECT_THAT(Try({"create", "-f", "-"}, Replaced(kConfig, "data: {color", "date: {color")).errors,
              HasSubstr("strict decoding error: unknown field \"date\""));
  EXPECT_THAT(
      Try({"create", "deployment", "Web", "--image=nginx"}).errors,
      HasSubstr("Deployment.apps \"Web\" is invalid: metadata.name: Invalid value: \"Web\""));
  EXPECT_THAT(Try({"create", "deployment", "web", "--image=nginx", "--replicas=-1"}).errors,
              HasSubstr("spec.replicas: Invalid value: -1: must be greater than or equal to 0"));
}

TEST_P(Kubectl, AppliesOnTheClientSide) {
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

TEST_P(Kubectl, AppliesOnTheServerSide) {
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

TEST_P(Kubectl, ChangesLabelsAndAnnotations) {
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

TEST_P(Kubectl, PatchesWithAllPatchTypes) {
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

TEST_P(Kubectl, ReplacesObjects) {
  Run({"create", "-f", "-"}, kConfig);
  EXPECT_EQ(Run({"replace", "-f", "-"}, Replaced(kConfig, "blue", "green")),
            "configmap/settings replaced\n");
  EXPECT_EQ(Field("configmap/settings", ".data.color"), "green");
  EXPECT_THAT(Try({"replace", "-f", "-"}, Replaced(kConfig, "settings", "nope")).errors,
              HasSubstr("(NotFound)"));
}

// Includes the tests in other files.
INSTANTIATE_TEST_SUITE_P(World, Kubectl, ::testing::ValuesIn(scenarios::Worlds()),
                         [](const auto& test) { return scenarios::NameOf(test.param); });

}  // namespace
}  // namespace capstan::e2e
