#include <capstan/controller.h>
#include <capstan/plugin.h>

#include <set>

using namespace capstan;
using api::apps::v1::ReplicaSet;

namespace {

class HelloReconciler : public Reconciler {
 public:
  explicit HelloReconciler(PluginContext& context)
      : replica_sets_(context.ListerFor<ReplicaSet>()), events_(context.EventRecorder("hello")) {}

  Result<Action> Reconcile(const Request& request) override {
    auto replica_set = replica_sets_.Get(request.name);  // from the cache; null when it is gone
    if (!replica_set) return Action::AwaitChange();
    if (greeted_.insert(replica_set->metadata.uid).second) {
      events_.Normal(*replica_set, "Hello", "{} wants {} pods", request.name,
                     replica_set->spec.replicas);
    }
    return Action::AwaitChange();
  }

 private:
  Lister<ReplicaSet> replica_sets_;
  EventRecorder events_;
  std::set<Uid> greeted_;
};

Status Setup(PluginContext& context) {
  return context.NewController("hello").For<ReplicaSet>().Workers(1).Run<HelloReconciler>();
}

}  // namespace

CAPSTAN_PLUGIN(.name = "hello-controller", .aliases = {"hello"}, .setup = Setup);
