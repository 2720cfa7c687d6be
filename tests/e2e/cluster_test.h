#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "api_server.h"
#include "kubelet.h"
#include "manager.h"
#include "observer.h"

namespace capstan::e2e {

// What a test varies of its Deployment "web", whose pods have the label app=web.
struct Workload {
  int replicas = 3;
  std::string image = "example.com/web:1";
  std::string strategy = "{}";  // YAML
  std::string more_spec = "";   // YAML lines of the Deployment's spec, each indented by two
  std::string pod_spec = "";    // YAML lines of the pod's spec, each indented by six
  std::string ToYaml() const;
};

// A test with a namespace of its own on the shared API server, in which pods come to life, and with
// the managers that it starts. At the end each manager must stop in good order.
class ClusterTest : public testing::Test {
 protected:
  ClusterTest();
  ~ClusterTest() override;
  void TearDown() override;

  // The options have a lease that this test has for itself.
  Manager::Options ManagerOptions();
  Manager& StartManager(const Manager::Options& options);
  // Starts one manager and waits until it leads.
  Manager& StartLeader();

  // kubectl in the namespace of this test.
  std::string Kubectl(std::vector<std::string> arguments, const std::string& input = "");
  void Apply(const Workload& workload);
  void SetImage(const std::string& image);
  void Scale(int replicas);
  // A field of the Deployment, or of an object of this namespace, as JSONPath.
  std::string Field(const std::string& path, const std::string& object = "deployment/web");
  std::string LeaseField(const std::string& path);

  // Applies the workload and waits until it is complete.
  testing::AssertionResult Create(const Workload& workload);
  // Waits until the newest generation of the Deployment is complete, with so many pods.
  testing::AssertionResult BecomesComplete(int replicas);
  // Waits until a query to the server (arguments of kubectl) gives a text for which `is` holds.
  testing::AssertionResult EventuallySays(const std::vector<std::string>& arguments,
                                          const std::function<bool(const std::string&)>& is,
                                          Duration timeout = Seconds(30));
  // What a rolling update promises at every moment.
  testing::AssertionResult StaysWithin(size_t mark, int max_replicas, int min_available);

  ApiServer& server_;
  const std::string namespace_;
  const Client client_;
  Kubelet kubelet_;
  Observer observer_;
  std::vector<std::unique_ptr<Manager>> managers_;
};

}  // namespace capstan::e2e
