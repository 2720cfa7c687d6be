#include <capstan/controller.h>
#include <capstan/plugin.h>

#include <atomic>
#include <memory>

// A pod's metadata: labels, owners, times. The server sends nothing else.
struct PodMetadata {
  capstan::api::ObjectMeta metadata;
};
CAPSTAN_DECLARE_RESOURCE(PodMetadata)
CAPSTAN_DEFINE_RESOURCE(PodMetadata,
                        (.group = "", .version = "v1", .resource = "pods", .kind = "Pod",
                         .namespaced = true, .metadata_only = true),
                        CAPSTAN_FIELD(metadata))

using namespace capstan;
using api::apps::v1::ReplicaSet;

namespace {

// Writes on each ReplicaSet how many pods it owns.
class PodCounter : public Reconciler {
 public:
  explicit PodCounter(PluginContext& context)
      : client_(context.client()),
        replica_sets_(context.ListerFor<ReplicaSet>()),
        pods_(context.ListerFor<PodMetadata>()) {
    // /debug/controllers/pod-count/
    context.AddPage("", [sets = replica_sets_, pods = pods_](const PageRequest&) {
      PageAnswer answer;
      for (const auto& set : sets.List()) {
        answer.body +=
            Format("{}: {} pods\n", set->metadata.name, pods.OwnedBy(set->metadata.uid).size());
      }
      return answer;
    });
    // /healthz/pod-count-rights
    context.AddHealthCheck("rights", [forbidden = forbidden_] {
      return *forbidden ? Status(StatusReason::kForbidden, "may not patch ReplicaSets")
                        : Status::Ok();
    });
  }

  Result<Action> Reconcile(const Request& request) override {
    const auto set = replica_sets_.Get(request.name);
    if (!set) return Action::AwaitChange();
    ReplicaSet counted = *set;
    const size_t count = pods_.OwnedBy(set->metadata.uid).size();
    counted.metadata.annotations.Set("example.dev/pods", std::to_string(count));
    const Status status = client_.PatchDifference(*set, counted).status();
    *forbidden_ = status.IsForbidden();
    if (!status.ok()) return status;
    return Action::AwaitChange();
  }

 private:
  const Client client_;
  Lister<ReplicaSet> replica_sets_;
  Lister<PodMetadata> pods_;
  std::shared_ptr<std::atomic<bool>> forbidden_ = std::make_shared<std::atomic<bool>>(false);
};

Status SetUpPodCount(PluginContext& context) {
  return context.NewController("pod-count").For<ReplicaSet>().Owns<PodMetadata>().Run<PodCounter>();
}

}  // namespace
