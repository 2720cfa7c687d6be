#include "user.h"

#include "scenarios/workload.h"

namespace capstan::simulation {
namespace {

using scenarios::ImagePatch;
using scenarios::IsReadyAndActive;
using scenarios::Workload;

const std::vector<std::string>& Names() {
  static const std::vector<std::string> names{"a", "b"};
  return names;
}

}  // namespace

User::User(const Client& client, testing::Kubelet& kubelet, std::string namespace_name, Dice& dice)
    : client_(client), kubelet_(kubelet), namespace_(std::move(namespace_name)), dice_(dice) {}

void User::Begin() {
  Create("a");
  if (dice_.Chance(40)) Create("b");
}

void User::End() {
  for (const NamespacedName& pod : unready_) kubelet_.SetReady(pod, true);
  for (const std::string& name : Names()) {
    (void)client_.Patch<Deployment>(NameIn(name), PatchType::kMerge, R"({"spec":{"paused":null}})");
  }
}

const std::vector<std::pair<int, User::Action>>& User::Actions() {
  static const std::vector<std::pair<int, Action>> actions{
      {20, &User::Scale},         {25, &User::SetImage},       {5, &User::Restart},
      {6, &User::ChangeStrategy}, {6, &User::ChangeSettings},  {8, &User::PauseOrResume},
      {4, &User::Delete},         {3, &User::ScaleReplicaSet}, {3, &User::DeleteReplicaSet},
      {8, &User::DeletePod},      {5, &User::RelabelPod},      {5, &User::CrashPod},
      {4, &User::UnreadyPod},
  };
  return actions;
}

void User::Act() {
  const std::string& name = dice_.Pick(Names());
  const auto deployment = client_.Get<Deployment>(NameIn(name));
  if (!deployment) return Create(name);
  int sum = 0;
  for (const auto& [weight, action] : Actions()) sum += weight;
  int roll = dice_.Roll(sum);
  for (const auto& [weight, action] : Actions()) {
    roll -= weight;
    if (roll < 0) return (this->*action)(**deployment);
  }
}

std::string User::AnyStrategy() {
  if (dice_.Chance(20)) return R"({"type":"Recreate","rollingUpdate":null})";
  static const std::vector<std::string> values{"0", "1", "2", R"("25%")", R"("50%")", R"("100%")"};
  const std::string surge = dice_.Pick(values);
  const std::string unavailable = surge == "0" ? R"("50%")" : dice_.Pick(values);
  return R"({"type":"RollingUpdate","rollingUpdate":{"maxSurge":)" + surge +
         R"(,"maxUnavailable":)" + unavailable + "}}";
}

void User::Create(const std::string& name) {
  Workload workload;
  workload.name = name;
  workload.replicas = dice_.Between(0, 5);
  workload.image = "example.com/web:" + std::to_string(dice_.Between(1, 4));
  workload.strategy = AnyStrategy();
  if (dice_.Chance(20)) workload.more_spec += R"("minReadySeconds":2,)";
  if (dice_.Chance(20)) workload.more_spec += R"("revisionHistoryLimit":1,)";
  if (dice_.Chance(20)) workload.more_spec += R"("progressDeadlineSeconds":5,)";
  (void)client_.Create(DescriptorOf<Deployment>(), namespace_, workload.ToJson());
}

void User::Patch(const Deployment& deployment, std::string_view patch, PatchType type) {
  (void)client_.Patch<Deployment>(api::NameOf(deployment.metadata), type, patch);
}

void User::Scale(const Deployment& deployment) {
  (void)client_.Patch<Deployment>(
      api::NameOf(deployment.metadata), PatchType::kMerge,
      R"({"spec":{"replicas":)" + std::to_string(dice_.Between(0, 6)) + "}}", "scale");
}

void User::SetImage(const Deployment& deployment) {
  Patch(deployment, ImagePatch("example.com/web:" + std::to_string(dice_.Between(1, 4))),
        PatchType::kStrategicMerge);
}

void User::Restart(const Deployment& deployment) {
  Patch(deployment, R"({"spec":{"template":{"metadata":{"annotations":{"restarted":")" +
                        std::to_string(dice_.Roll(1000)) + R"("}}}}})");
}

void User::ChangeStrategy(const Deployment& deployment) {
  Patch(deployment, R"({"spec":{"strategy":)" + AnyStrategy() + "}}");
}

void User::ChangeSettings(const Deployment& deployment) {
  static const std::vector<std::string> settings{
      R"("minReadySeconds":0)",
      R"("minReadySeconds":2)",
      R"("revisionHistoryLimit":0)",
      R"("revisionHistoryLimit":10)",
      R"("progressDeadlineSeconds":5)",
      R"("progressDeadlineSeconds":600)",
      R"("template":{"metadata":{"labels":{"tier":"front"}}})",
      R"("template":{"metadata":{"labels":{"tier":null}}})",
  };
  Patch(deployment, R"({"spec":{)" + dice_.Pick(settings) + "}}");
}

void User::PauseOrResume(const Deployment& deployment) {
  Patch(deployment,
        deployment.spec.paused ? R"({"spec":{"paused":null}})" : R"({"spec":{"paused":true}})");
}

PropagationPolicy User::AnyPropagation() {
  static const std::vector<PropagationPolicy> policies{
      PropagationPolicy::kBackground, PropagationPolicy::kForeground, PropagationPolicy::kOrphan};
  return dice_.Pick(policies);
}

void User::Delete(const Deployment& deployment) {
  (void)client_.Delete<Deployment>(api::NameOf(deployment.metadata),
                                   {.propagation = AnyPropagation()});
}

void User::ScaleReplicaSet(const Deployment&) {
  const Cluster cluster(client_, namespace_);
  if (const ReplicaSet* replica_set = Any(cluster.replica_sets())) {
    (void)client_.Patch<ReplicaSet>(
        api::NameOf(replica_set->metadata), PatchType::kMerge,
        R"({"spec":{"replicas":)" + std::to_string(dice_.Between(0, 4)) + "}}");
  }
}

void User::DeleteReplicaSet(const Deployment&) {
  const Cluster cluster(client_, namespace_);
  if (const ReplicaSet* replica_set = Any(cluster.replica_sets())) {
    (void)client_.Delete<ReplicaSet>(api::NameOf(replica_set->metadata),
                                     {.propagation = AnyPropagation()});
  }
}

void User::DeletePod(const Deployment&) {
  const Cluster cluster(client_, namespace_);
  if (const Pod* pod = Any(cluster.pods())) {
    DeleteOptions options;
    if (dice_.Chance(20)) options.grace_period_seconds = 0;
    (void)client_.Delete<Pod>(api::NameOf(pod->metadata), options);
  }
}

void User::RelabelPod(const Deployment& deployment) {
  const Cluster cluster(client_, namespace_);
  if (const Pod* pod = Any(cluster.pods())) {
    const std::string label = dice_.Chance(50) ? "other" : deployment.metadata.name;
    (void)client_.Patch<Pod>(api::NameOf(pod->metadata), PatchType::kMerge,
                             R"({"metadata":{"labels":{"app":")" + label + R"("}}})");
  }
}

void User::CrashPod(const Deployment&) {
  const Cluster cluster(client_, namespace_);
  if (const Pod* pod = Any(cluster.pods())) kubelet_.Crash(api::NameOf(pod->metadata));
}

void User::UnreadyPod(const Deployment&) {
  const Cluster cluster(client_, namespace_);
  const Pod* pod = Any(cluster.pods());
  if (pod == nullptr || !IsReadyAndActive(*pod)) return;
  const NamespacedName name = api::NameOf(pod->metadata);
  kubelet_.SetReady(name, false);
  unready_.push_back(name);
}

}  // namespace capstan::simulation
