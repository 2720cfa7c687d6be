// What users ask about the cluster and the kinds that it serves.

#include "kubectl_fixture.h"

namespace capstan::e2e {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

// The kind and all its fields have a description.
auto IsDescribed() {
  return AllOf(HasSubstr("DESCRIPTION:\n    "), Not(HasSubstr("<empty>")),
               Not(HasSubstr("<no description>")));
}

TEST_P(Kubectl, ListsApiVersionsAndResources) {
  EXPECT_THAT(Run({"api-resources"}),
              AllOf(ContainsRegex("deployments +deploy +apps/v1 +true +Deployment"),
                    ContainsRegex("nodes +no +v1 +false +Node"),
                    ContainsRegex("leases +coordination.k8s.io/v1 +true +Lease")));
  EXPECT_THAT(Run({"api-versions"}), AllOf(HasSubstr("apps/v1\n"), HasSubstr("\nv1\n")));
  EXPECT_THAT(Run({"version"}), HasSubstr("Server Version: v1.36.3"));
  EXPECT_THAT(Run({"cluster-info"}), HasSubstr("is running at"));
  EXPECT_EQ(Run({"get", "--raw", "/readyz"}), "ok");
}

TEST_P(Kubectl, ExplainsFields) {
  EXPECT_THAT(Run({"explain", "deployment.spec.strategy"}),
              AllOf(HasSubstr("GROUP:      apps\nKIND:       Deployment\nVERSION:    v1\n"),
                    HasSubstr("FIELD: strategy <DeploymentStrategy>"), IsDescribed(),
                    HasSubstr("rollingUpdate\t<RollingUpdateDeployment>\n    ")));
  EXPECT_THAT(Run({"explain", "pods", "--recursive"}),
              AllOf(HasSubstr("containers\t<[]Container> -required-"), HasSubstr("nodeName"),
                    HasSubstr("DESCRIPTION:\n    "), Not(HasSubstr("<empty>"))));
  EXPECT_THAT(Try({"explain", "deployment.spec.nope"}).errors, HasSubstr("does not exist"));
}

TEST_P(Kubectl, ExplainsKindsAndNestedFields) {
  for (const char* kind :
       {"configmap", "namespace", "node", "secret", "serviceaccount", "service", "pod",
        "deployment", "replicaset", "lease", "event", "customresourcedefinition"}) {
    EXPECT_THAT(Run({"explain", kind}), AllOf(HasSubstr("FIELDS:\n"), IsDescribed())) << kind;
  }
  for (const char* part :
       {"deployment.metadata", "deployment.spec", "deployment.status", "replicaset.spec",
        "pod.spec.containers", "pod.spec.containers.resources", "pod.spec.containers.livenessProbe",
        "pod.spec.containers.env", "pod.spec.containers.ports", "pod.status", "service.spec",
        "node.status", "lease.spec"}) {
    EXPECT_THAT(Run({"explain", part}), AllOf(HasSubstr("FIELDS:\n"), IsDescribed())) << part;
  }
}

TEST_P(Kubectl, ChecksPermissionsWithAuthCanI) {
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
  // The discovery of the real server may find the kind, lose it for a moment, and find it again.
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

}  // namespace
}  // namespace capstan::e2e
