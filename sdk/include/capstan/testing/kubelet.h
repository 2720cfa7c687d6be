#pragma once

/// Kubelet: the stand-in for the scheduler and for the kubelets of all nodes, on any API server.
///
/// It gives each pod without a node one of its nodes (the one with the fewest pods), makes it
/// Running and Ready when its time has come, and finishes its deletion. What becomes of a pod is
/// decided by the behaviour of the moment when it starts. An annotation of the pod goes before it:
/// `capstan.dev/ready-after: never`, or a duration ("2s").
///
/// Threads: all methods may be called from any thread. It runs two threads of the Runtime's.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <capstan/client/client.h>
#include <capstan/export.h>
#include <capstan/runtime/runtime.h>

namespace capstan::testing {

struct PodBehaviour {
  std::optional<Duration> ready_after = Duration::zero();  ///< nothing = never
  /// After it was Ready for so long its containers fail: phase Failed, reason Error.
  std::optional<Duration> crash_after = std::nullopt;
  /// From the deletion on; nothing = it hangs until the behaviour changes.
  std::optional<Duration> gone_after = Duration::zero();
  /// Not even bound to a node: Pending, with a PodScheduled condition that is False.
  bool unschedulable = false;
  /// Bound, but refused by its node's kubelet for this reason ("OutOfcpu"), before any container is
  /// started: phase Failed. "" = it is not.
  std::string rejected = {};
};

struct KubeletOptions {
  std::vector<std::string> nodes = {"node-1", "node-2", "node-3"};
  /// Only pods of this namespace; "" = of all.
  std::string namespace_ = {};
};

class CAPSTAN_EXPORT Kubelet {
 public:
  /// Starts its threads, which create the Node objects that are missing. `client` should have no
  /// rate limit.
  Kubelet(Client client, Runtime& runtime, KubeletOptions options = {});
  ~Kubelet();  ///< stops and joins
  Kubelet(const Kubelet&) = delete;
  Kubelet& operator=(const Kubelet&) = delete;

  /// For pods that start from now on. Deletions that hang, and pods that could not be scheduled,
  /// look at it again.
  void Behave(PodBehaviour behaviour);
  /// A behaviour by pod; asked once for each pod, with its name.
  void BehaveBy(std::function<PodBehaviour(const NamespacedName& pod)> choose);
  /// The containers of a running pod fail now: phase Failed.
  void Crash(const NamespacedName& pod);
  /// A running pod becomes not Ready, or Ready again.
  void SetReady(const NamespacedName& pod, bool ready);
  /// A node stops answering: its pods become not Ready, nothing that happens to them is noticed,
  /// and no pod is bound to it, until it comes back.
  void LoseNode(const std::string& node);
  void RecoverNode(const std::string& node);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace capstan::testing
