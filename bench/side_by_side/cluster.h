#pragma once

/// Cluster: a new kube-apiserver and etcd, and one manager that works on it. It counts what the
/// manager does and what that costs.
///
/// Threads: used by one thread only, since the child processes are tied to the thread that starts
/// them. Errors: the methods throw std::runtime_error, with the end of a log where that helps.

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <capstan/client/client.h>

#include "bench/parts/manager_kind.h"
#include "e2e/audit_log.h"
#include "e2e/kube_api_server.h"
#include "e2e/process.h"

namespace capstan::bench {

/// The flags for a request rate that limits nothing here.
std::vector<std::string> FastFlags();

/// What has happened in a phase of a measurement.
struct Cost {
  double manager_cpu = 0, server_cpu = 0;  // seconds
  /// The manager's successful writes by kind, as "update or patch deployments/status", without
  /// those of leader election and events.
  std::map<std::string, int> writes;
  int work = 0;      // the sum of `writes`
  int events = 0;    // writes of events
  int requests = 0;  // all requests of the manager
  std::optional<std::chrono::system_clock::time_point> first_write;
};

class Cluster {
 public:
  /// `prepare` is called with the URL of etcd before kube-apiserver starts.
  explicit Cluster(ManagerKind kind, std::function<void(const std::string&)> prepare = {});

  ManagerKind kind() const { return kind_; }
  const Client& client() const { return *client_; }
  const std::string& etcd_url() const { return server_->etcd_url(); }
  pid_t manager_pid() const { return manager_->pid(); }
  double ManagerCpu() const;
  double ServerCpu() const;

  /// Waits until the server has nothing to do any more after its start.
  void AwaitQuietServer();
  /// Starts the manager. Its pages are off unless `flags` say otherwise.
  void StartManager(const std::vector<std::string>& flags);
  /// Starts it, and waits until it leads and has nothing to do any more.
  void StartManagerAndWait(const std::vector<std::string>& flags);
  void StopManager();

  /// Begins a phase: costs are counted from here.
  void BeginPhase();
  /// Waits until the manager has written something in this phase.
  void AwaitFirstWrite(std::chrono::seconds limit);
  /// Waits until the manager uses no CPU any more. Returns the costs up to that moment.
  Cost EndWhenIdle();
  /// Waits until the manager writes nothing any more, events included. Returns the costs up to the
  /// last write.
  Cost EndWhenWritten();

 private:
  // Reads the audit log. Returns whether the manager has written something.
  bool Follow();
  void SampleCpu();
  void CheckManager();

  const ManagerKind kind_;
  const e2e::TempDirectory files_;
  e2e::AuditLog audit_{files_.path()};
  std::unique_ptr<e2e::KubeApiServer> server_;
  std::optional<Client> client_;
  std::unique_ptr<e2e::Process> manager_;
  bool leads_ = false;
  double manager_cpu_before_ = 0, server_cpu_before_ = 0;
  Cost cost_;
};

}  // namespace capstan::bench
