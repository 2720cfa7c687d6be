// Histories of a Deployment: user changes, changes of pods, and syncs in between. When the changes
// end, the Deployment must reach the desired state.

#include <gtest/gtest.h>

#include "cluster_model.h"
#include "plugins/property.h"

namespace capstan::deployment {
namespace {

using property::Check;
using property::Choices;

class History {
 public:
  explicit History(Choices& choices) : choices_(choices), model_(AnyDeployment(choices)) {}

  // The failure and its history, or "".
  std::string Run() {
    for (uint64_t step = choices_.Upto(60); step > 0 && model_.complaint().empty(); --step) Step();
    if (model_.complaint().empty()) RunUntilSettled();
    const std::string wrong = model_.complaint().empty() ? Unfinished() : model_.complaint();
    return wrong.empty() ? "" : wrong + log_;
  }

 private:
  static Deployment AnyDeployment(Choices& choices) {
    Deployment deployment = DeploymentOf(static_cast<int32_t>(choices.Upto(9)), "v0");
    deployment.spec.revisionHistoryLimit = choices.Pick({10, 2, 0});
    if (choices.Chance(20)) deployment.spec.progressDeadlineSeconds = 3;
    if (choices.Chance(10)) deployment.spec.progressDeadlineSeconds.reset();
    ChangeStrategy(choices, deployment);
    return deployment;
  }

  static void ChangeStrategy(Choices& choices, Deployment& deployment) {
    using api::IntOrString;
    deployment.spec.strategy.type = choices.Chance(30) ? "Recreate" : "RollingUpdate";
    const IntOrString surge = choices.Pick<IntOrString>({1, "25%", 0, 2, "50%", "100%", 5});
    const IntOrString unavailable = choices.Pick<IntOrString>({1, "25%", 0, 2, "50%", "100%", 5});
    SetLimits(deployment, surge, unavailable);
  }

  void Step() {
    switch (choices_.Upto(9)) {
      case 0:
      case 1:
      case 2:
        Note("sync");
        model_.Sync(At(now_ += choices_.Between(0, 2)));
        break;
      case 7:
        ChangeSpec();
        break;
      case 8:
        LosePod();
        break;
      default:
        StepPods();
    }
  }

  void ChangeSpec() {
    Deployment& deployment = model_.deployment();
    switch (choices_.Upto(6)) {
      case 0:
        deployment.spec.replicas = static_cast<int32_t>(choices_.Upto(9));
        break;
      case 1:
      case 2:
        deployment.spec.template_ = TemplateOf("v" + std::to_string(choices_.Upto(3)));
        break;
      case 3:
        deployment.spec.paused = !deployment.spec.paused;
        break;
      case 4:
        ChangeStrategy(choices_, deployment);
        break;
      case 5:
        deployment.metadata.annotations.Set(kRollbackToAnnotation,
                                            std::to_string(choices_.Upto(4)));
        break;
      default:
        ScaleAReplicaSet();
    }
    ++deployment.metadata.generation;
    Note("user");
  }

  // A change by another client than the controller.
  void ScaleAReplicaSet() {
    if (model_.sets().empty()) return;
    ReplicaSet& set = AnySet();
    set.spec.replicas = static_cast<int32_t>(choices_.Upto(4));
    ++set.metadata.generation;
    model_.NoteTampering();
  }

  // The pods of one ReplicaSet move one step towards its desired state.
  void StepPods() {
    if (model_.sets().empty()) return;
    Move(AnySet());
    Note("pods");
  }

  void Move(ReplicaSet& set) {
    auto& status = set.status;
    status.observedGeneration = set.metadata.generation;
    status.terminatingReplicas = 0;
    const int32_t wanted = set.spec.replicas.value_or(1);
    if (status.replicas != wanted) {
      status.replicas = wanted;
      status.availableReplicas = std::min(status.availableReplicas, wanted);
    } else if (status.availableReplicas < wanted) {
      ++status.availableReplicas;
    }
    status.readyReplicas = status.availableReplicas;
  }

  void LosePod() {
    if (model_.sets().empty()) return;
    auto& status = AnySet().status;
    status.availableReplicas = std::max(0, status.availableReplicas - 1);
    status.readyReplicas = status.availableReplicas;
    Note("loss");
  }

  void RunUntilSettled() {
    model_.deployment().spec.paused = false;
    log_ += "\n  becomes idle";
    for (int step = 0; step < 500; ++step) {
      bool moves = false;
      // While the pods do not change, there must soon be nothing left to write.
      for (int again = 0; again < 12 && model_.Sync(At(++now_)); ++again) {
        moves = true;
        if (again == 11) {
          rest_ = "it keeps writing";
          return;
        }
      }
      for (ReplicaSet& set : model_.sets()) {
        const ReplicaSet before = set;
        for (int i = 0; i < 20; ++i) Move(set);
        moves = moves || !Equal(before, set);
      }
      Note("sync, pods");
      if (!moves || !model_.complaint().empty()) return;
    }
    rest_ = "it does not become idle";
  }

  std::string Unfinished() {
    if (!rest_.empty()) return rest_ + ": " + model_.ToString();
    const Deployment& deployment = model_.deployment();
    const int64_t replicas = ReplicasOf(deployment);
    const auto& status = deployment.status;
    bool has_new = false;
    for (const ReplicaSet& set : model_.sets()) {
      const bool is_new = SameTemplate(set.spec.template_, deployment.spec.template_);
      has_new = has_new || is_new;
      if (ReplicasOf(set) != (is_new ? replicas : 0))
        return "a size is wrong: " + model_.ToString();
      if (is_new && set.metadata.annotations.Get(kRevisionAnnotation) !=
                        deployment.metadata.annotations.Get(kRevisionAnnotation)) {
        return "the revision is wrong: " + model_.ToString();
      }
    }
    if (!has_new) return "the new ReplicaSet is missing: " + model_.ToString();
    if (status.replicas != replicas || status.updatedReplicas != replicas ||
        status.availableReplicas != replicas || status.unavailableReplicas != 0 ||
        status.observedGeneration != deployment.metadata.generation) {
      return "the status is wrong: " + model_.ToString();
    }
    const Condition* available = FindCondition(status.conditions, kAvailable);
    if (!available || available->status != "True") return "it is not reported as available";
    const Condition* progressing = FindCondition(status.conditions, kProgressing);
    if (HasProgressDeadline(deployment) &&
        (!progressing || progressing->reason != "NewReplicaSetAvailable")) {
      return "it is not reported as complete: " +
             (progressing ? progressing->reason.str() : std::string("no condition"));
    }
    if (FindCondition(status.conditions, kReplicaFailure)) return "it is reported as failed";
    const auto limit = static_cast<size_t>(*deployment.spec.revisionHistoryLimit);
    if (model_.sets().size() > limit + 1) return "history is not cleaned up: " + model_.ToString();
    return "";
  }

  ReplicaSet& AnySet() { return model_.sets()[choices_.Upto(model_.sets().size() - 1)]; }
  void Note(const std::string& what) { log_ += "\n  " + what + ": " + model_.ToString(); }

  Choices& choices_;
  ClusterModel model_;
  int64_t now_ = 0;
  std::string log_;
  std::string rest_;
};

TEST(DeploymentHistories, ConvergeAfterTheLastChange) {
  Check(3'000, [](Choices& choices) { return History(choices).Run(); });
}

}  // namespace
}  // namespace capstan::deployment
