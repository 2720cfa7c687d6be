#pragma once

/// FailoverBench: three replicas of one kind of manager and a kube-apiserver of their own. It ends
/// the leader and measures when another replica takes over.
///
/// Threads: used by one thread only, since the child processes are tied to the thread that starts
/// them. Errors: the methods throw std::runtime_error with the end of a replica's log.

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <capstan/client/client.h>

#include "e2e/api_server.h"
#include "e2e/audit_log.h"
#include "e2e/process.h"

namespace capstan::bench {

class FailoverBench {
 public:
  /// Starts the server and the replicas. `command` is a manager's command line without
  /// --kubeconfig.
  FailoverBench(std::string kind, std::vector<std::string> command);

  /// Ends the leader with `signal`. Returns the time from the signal to the first write of another
  /// replica, by the server's audit log.
  e2e::Milliseconds Round(int signal);

 private:
  using Moment = std::chrono::system_clock::time_point;

  void StartReplica();
  void Follow();
  template <class Done>
  void Await(const char* what, Done done);
  void AwaitReplicas();
  std::string AwaitLeader();
  Moment AwaitFirstWrite(const std::string& old_leader, Moment begin);
  void CreateDeployment();
  void CleanUp();

  const std::string kind_;
  const std::vector<std::string> command_;
  const e2e::TempDirectory files_;
  e2e::AuditLog audit_{files_.path()};
  std::unique_ptr<e2e::ApiServer> server_;
  std::optional<Client> client_;
  std::map<std::string, std::unique_ptr<e2e::Process>> replicas_;
  int started_ = 0;
  int deployments_ = 0;
  std::string leader_;
  std::set<std::string> seen_;
  std::vector<e2e::AuditedRequest> writes_;
};

}  // namespace capstan::bench
