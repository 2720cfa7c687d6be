#include "cluster_test.h"

#include <exception>
#include <iostream>
#include <sstream>
#include <thread>
#include <utility>

namespace capstan::e2e {
namespace {

class ServerEnvironment : public testing::Environment {
 public:
  void SetUp() override {
    try {
      ApiServer::Shared();
    } catch (const std::exception& error) {
      FAIL() << error.what();
    }
  }
  void TearDown() override { ApiServer::EndShared(); }
};

const testing::Environment* const kServer =
    testing::AddGlobalTestEnvironment(new ServerEnvironment);  // owned by GoogleTest

std::string NewNamespace(ApiServer& server) {
  static int count = 0;
  std::string name = "e2e-" + std::to_string(++count);
  server.Kubectl({"create", "namespace", name});
  return name;
}

}  // namespace

std::string Workload::ToYaml() const {
  std::ostringstream out;
  out << "apiVersion: apps/v1\n"
         "kind: Deployment\n"
         "metadata:\n"
         "  name: web\n"
         "spec:\n"
         "  replicas: "
      << replicas
      << "\n"
         "  selector: {matchLabels: {app: web}}\n"
         "  strategy: "
      << strategy << "\n"
      << more_spec
      << "  template:\n"
         "    metadata: {labels: {app: web}}\n"
         "    spec:\n"
      << pod_spec
      << "      containers:\n"
         "      - name: web\n"
         "        image: "
      << image << "\n";
  return out.str();
}

ClusterTest::ClusterTest()
    : server_(ApiServer::Shared()),
      namespace_(NewNamespace(server_)),
      client_(NewClient(server_)),
      kubelet_(client_),
      observer_(client_, namespace_) {}

ClusterTest::~ClusterTest() = default;

void ClusterTest::TearDown() {
  for (const auto& manager : managers_) {
    if (manager->IsRunning()) {
      EXPECT_EQ(manager->Terminate(), 0) << manager->LogTail();
    }
    if (HasFailure()) std::cerr << manager->LogTail() << "\n";
  }
  // No controller of namespaces and no garbage collector runs that would do it.
  const std::string apps = "/apis/apps/v1/namespaces/" + namespace_;
  for (const std::string& all :
       {apps + "/deployments", apps + "/replicasets",
        "/api/v1/namespaces/" + namespace_ + "/pods?gracePeriodSeconds=0"}) {
    server_.TryKubectl({"delete", "--raw=" + all});
  }
}

Manager::Options ClusterTest::ManagerOptions() {
  Manager::Options options;
  options.name = namespace_ + "-manager-" + std::to_string(managers_.size() + 1);
  options.lease = "capstan-" + namespace_;
  return options;
}

Manager& ClusterTest::StartManager(const Manager::Options& options) {
  return *managers_.emplace_back(std::make_unique<Manager>(server_, options));
}

Manager& ClusterTest::StartLeader() {
  Manager& manager = StartManager(ManagerOptions());
  manager.WaitUntilLeading();
  return manager;
}

std::string ClusterTest::Kubectl(std::vector<std::string> arguments, const std::string& input) {
  arguments.push_back("--namespace=" + namespace_);
  return server_.Kubectl(std::move(arguments), input);
}

void ClusterTest::Apply(const Workload& workload) {
  Kubectl({"apply", "--filename=-"}, workload.ToYaml());
}

void ClusterTest::SetImage(const std::string& image) {
  Kubectl({"set", "image", "deployment/web", "web=" + image});
}

void ClusterTest::Scale(int replicas) {
  Kubectl({"scale", "deployment/web", "--replicas=" + std::to_string(replicas)});
}

std::string ClusterTest::Field(const std::string& path, const std::string& object) {
  return Kubectl({"get", object, "--output=jsonpath={" + path + "}"});
}

std::string ClusterTest::LeaseField(const std::string& path) {
  return server_.Kubectl({"get", "lease", ManagerOptions().lease, "--namespace=kube-system",
                          "--output=jsonpath={" + path + "}"});
}

testing::AssertionResult ClusterTest::Create(const Workload& workload) {
  Apply(workload);
  return BecomesComplete(workload.replicas);
}

testing::AssertionResult ClusterTest::BecomesComplete(int replicas) {
  const int64_t generation = std::stoll(Field(".metadata.generation"));
  return observer_.Eventually("generation " + std::to_string(generation) + " is complete with " +
                                  std::to_string(replicas) + " pods",
                              [&](const View& view) {
                                return IsComplete(view, replicas) &&
                                       view.deployment->metadata.generation >= generation;
                              });
}

testing::AssertionResult ClusterTest::EventuallySays(
    const std::vector<std::string>& arguments, const std::function<bool(const std::string&)>& is,
    Duration timeout) {
  const MonotonicTime deadline = SystemRuntime().Now() + timeout;
  for (;;) {
    const std::string answer = Kubectl(arguments);
    if (is(answer)) return testing::AssertionSuccess();
    if (SystemRuntime().Now() > deadline) {
      return testing::AssertionFailure() << "kubectl's last answer was " << answer;
    }
    std::this_thread::sleep_for(Milliseconds(100));
  }
}

testing::AssertionResult ClusterTest::StaysWithin(size_t mark, int max_replicas,
                                                  int min_available) {
  const testing::AssertionResult below =
      observer_.Always("the ReplicaSets ask for at most " + std::to_string(max_replicas) + " pods",
                       mark, [&](const View& view) { return view.SpecReplicas() <= max_replicas; });
  if (!below) return below;
  return observer_.Always("at least " + std::to_string(min_available) + " pods are available", mark,
                          [&](const View& view) { return view.AvailablePods() >= min_available; });
}

}  // namespace capstan::e2e
