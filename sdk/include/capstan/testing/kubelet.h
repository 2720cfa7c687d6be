#pragma once

/// Kubelet: simulates the scheduler and the kubelets of all nodes, on any API server.
///
/// It binds each pod without a node to the node with the fewest pods, makes it Running and Ready
/// after the configured time, and completes its deletion. A pod gets the behaviour that is set when
/// it starts. An annotation of the pod overrides it: `capstan.dev/ready-after: never`, or a
/// duration ("2s").
///
/// Threads: all methods may be called from any thread. It runs two threads of the Runtime.

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
  std::optional<Duration> ready_after = Duration::zero();  ///< nullopt = never
  /// The time from Ready to the failure of its containers: phase Failed, reason Error.
  std::optional<Duration> crash_after = std::nullopt;
  /// The time from the deletion request to the end of the pod. nullopt = the pod hangs until the
  /// behaviour changes.
  std::optional<Duration> gone_after = Duration::zero();
  /// The pod is not bound to a node: Pending, with a PodScheduled condition that is False.
  bool unschedulable = false;
  /// The pod is bound, but its node's kubelet rejects it for this reason ("OutOfcpu") before it
  /// starts a container: phase Failed. "" = not rejected.
  std::string rejected = {};
};

struct KubeletOptions {
  std::vector<std::string> nodes = {"node-1", "node-2", "node-3"};
  /// The namespace of the pods; "" = all namespaces.
  std::string namespace_ = {};
};

class CAPSTAN_EXPORT Kubelet {
 public:
  /// Starts the threads, which create missing Node objects. `client` should have no rate limit.
  Kubelet(Client client, Runtime& runtime, KubeletOptions options = {});
  ~Kubelet();  ///< stops and joins
  Kubelet(const Kubelet&) = delete;
  Kubelet& operator=(const Kubelet&) = delete;

  /// Sets the behaviour of pods that start from now on. It also applies to hanging deletions and to
  /// pods that could not be scheduled.
  void Behave(PodBehaviour behaviour);
  /// Sets a behaviour per pod. `choose` is called once per pod, with its name.
  void BehaveBy(std::function<PodBehaviour(const NamespacedName& pod)> choose);
  /// Makes the containers of a running pod fail now: phase Failed.
  void Crash(const NamespacedName& pod);
  /// Makes a running pod not Ready, or Ready again.
  void SetReady(const NamespacedName& pod, bool ready);
  /// Simulates the loss of a node. Its pods become not Ready, their changes are not observed, and
  /// no pod is bound to the node, until RecoverNode.
  void LoseNode(const std::string& node);
  void RecoverNode(const std::string& node);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace capstan::testing
