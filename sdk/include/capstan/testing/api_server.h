#pragma once

/// ApiServer: an in-memory Kubernetes API server for tests and experiments.
///
/// It serves core/v1 (namespaces, nodes, pods, events, configmaps, secrets, serviceaccounts,
/// services), apps/v1 (deployments, replicasets), coordination.k8s.io/v1 leases, events.k8s.io/v1,
/// apiextensions.k8s.io/v1 and custom resources. Verbs, status codes and texts are those of
/// kube-apiserver 1.36: optimistic concurrency, the four patch types, field validation, selectors,
/// paging, watches with bookmarks, graceful deletion, finalizers and garbage collection. Every user
/// is authorised for everything. docs/embedded-cluster.md lists the differences.
///
/// Initially it contains the namespaces of every cluster: default, kube-system, kube-public and
/// kube-node-lease.
///
/// Time is the time of the Runtime. In a SimulatedRuntime nothing happens unless the test advances
/// it.
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
  /// The number of changes per resource that a watch can resume over. Older resourceVersions get
  /// 410.
  size_t history = 10'000;
  /// The period of bookmarks in a watch that requested them.
  Duration bookmark_period = std::chrono::minutes(1);
  /// The maximum size of a request body, in bytes. A larger body gets 413.
  size_t max_body = size_t{3} * 1024 * 1024;
  /// Whether garbage collection of owner references and namespaces runs, as in
  /// kube-controller-manager.
  bool garbage_collection = true;
  /// Whether the object that a write results in is validated. Without validation a test can
  /// continue from a restored state that no API server would have accepted.
  bool validation = true;
  /// The registry of apiserver_request_total; null = none. Must outlive the server.
  MetricsRegistry* metrics = nullptr;
};

/// A simple custom resource: any fields, a status and no validation.
struct CustomResource {
  std::string group;
  std::string version;
  std::string kind;
  std::string plural;
  bool namespaced = true;
};

/// The user of a request, for `whoami`, access reviews and CertificateSigningRequests.
struct ApiUser {
  std::string name = "system:admin";
  std::string uid = {};
  std::vector<std::string> groups = {"system:masters", "system:authenticated"};
};

class CAPSTAN_EXPORT ApiServer {
 public:
  explicit ApiServer(Runtime& runtime, ApiServerOptions options = {});
  /// Stops its threads. All readers of watches must have been stopped before.
  ~ApiServer();
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  /// Serves one request. Every HTTP status is a success; the only errors are those of `stop`. The
  /// response of a watch must not be read after the server is destroyed.
  Result<std::unique_ptr<HttpResponse>> Serve(const HttpRequest& request, const ApiUser& user,
                                              std::stop_token stop);
  /// Returns an in-process transport. It may outlive the server: it then returns a Transport error.
  std::shared_ptr<Transport> NewTransport(ApiUser user = {});

  Status Register(const CustomResource& resource);
  /// Drops the history. A watch from an older resourceVersion, or a list that continues, gets 410.
  void Compact();
  /// Ends every open watch, as a server restart does.
  void CloseWatches();
  /// Save returns all objects and the resourceVersion as JSON; Restore loads them. Restoring an
  /// older state simulates a cluster whose etcd was restored from a backup. Open watches end with
  /// 410. Errors: Malformed.
  std::string Save() const;
  Status Restore(std::string_view saved);
  /// The resourceVersion of the newest write.
  int64_t ResourceVersion() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;  // transports check whether it still exists
};

}  // namespace capstan::testing
