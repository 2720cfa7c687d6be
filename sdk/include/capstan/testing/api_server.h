#pragma once

/// ApiServer: a Kubernetes API server in memory, for tests and for trying things out.
///
/// It serves core/v1 (namespaces, nodes, pods, events, configmaps, secrets, serviceaccounts,
/// services), apps/v1 (deployments, replicasets), coordination.k8s.io/v1 leases, events.k8s.io/v1,
/// apiextensions.k8s.io/v1 and custom resources with the verbs, status codes and texts of
/// kube-apiserver 1.36: optimistic concurrency, the four kinds of patches, field validation,
/// selectors, paging, watches with bookmarks, graceful deletion, finalizers and garbage collection.
/// Everybody may do everything. docs/embedded-cluster.md says what differs.
///
/// It begins with the namespaces of every cluster: default, kube-system, kube-public and
/// kube-node-lease.
///
/// Time is the Runtime's: in a SimulatedRuntime nothing happens unless the test drives it.
///
/// Threads: all methods may be called from any thread.

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/client/transport.h>
#include <capstan/export.h>
#include <capstan/metrics/metrics.h>
#include <capstan/runtime/runtime.h>

namespace capstan::testing {

struct ApiServerOptions {
  /// Changes of each resource that watches can catch up with; older ones get 410.
  size_t history = 10'000;
  /// How often a watch that asked for them gets a bookmark.
  Duration bookmark_period = std::chrono::minutes(1);
  /// The largest body of a request, in bytes; a larger one gets 413.
  size_t max_body = size_t{3} * 1024 * 1024;
  /// Whether owner references and namespaces are collected, as kube-controller-manager would.
  bool garbage_collection = true;
  /// Whether what a write leaves behind is validated; without, one can go on from a restored state
  /// that no API server would have accepted.
  bool validation = true;
  /// Where apiserver_request_total is counted; null = nowhere. Outlives the server.
  MetricsRegistry* metrics = nullptr;
};

/// A custom resource in short: any fields, a status and no validation.
struct CustomResource {
  std::string group;
  std::string version;
  std::string kind;
  std::string plural;
  bool namespaced = true;
};

/// Who a request is from, for `whoami` and access reviews.
struct ApiUser {
  std::string name = "system:admin";
  std::vector<std::string> groups = {"system:masters", "system:authenticated"};
};

class CAPSTAN_EXPORT ApiServer {
 public:
  explicit ApiServer(Runtime& runtime, ApiServerOptions options = {});
  /// Ends its own threads. Whoever still waits in a watch must have been stopped before.
  ~ApiServer();
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  /// Answers one request. Every HTTP status is a success; the only errors are those of `stop`. A
  /// watch's answer must not be read any more once the server is gone.
  Result<std::unique_ptr<HttpResponse>> Serve(const HttpRequest& request, const ApiUser& user,
                                              std::stop_token stop);
  /// A door without a network. It keeps no reference to the server beyond the server's life: after
  /// that it answers with a Transport error.
  std::shared_ptr<Transport> NewTransport(ApiUser user = {});

  Status Register(const CustomResource& resource);
  /// Forgets history: a watch that begins before now, or a list that goes on, gets 410.
  void Compact();
  /// Ends every open watch, as a restart does.
  void CloseWatches();
  /// All objects and the resourceVersion, as JSON, and back. A restored older state is what a
  /// cluster sees whose etcd came from a backup; open watches end with 410. Errors: Malformed.
  std::string Save() const;
  Status Restore(std::string_view saved);
  /// The resourceVersion of the newest write.
  int64_t ResourceVersion() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;  // transports ask whether it still lives
};

}  // namespace capstan::testing
