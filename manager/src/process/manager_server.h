#pragma once

/// ManagerServer: everything that the process serves. It maps paths to pages, authorizes requests
/// and owns the listeners.
///
/// Threads: Start and the destructor must be called from one thread. The functions of the view are
/// called from any thread.

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <capstan/runtime/status.h>

#include "access/access_guard.h"
#include "apiclient/api_connections.h"
#include "base/http/mux.h"
#include "config/options.h"
#include "process/controller_group.h"
#include "process/http_server.h"
#include "process/process.h"

namespace capstan::manager {

/// The state of the process that the pages show. Everything it refers to outlives the server.
struct ManagerView {
  /// The group of the current term; null between terms.
  std::function<std::shared_ptr<ControllerGroup>()> group;
  std::function<bool()> is_leading;
  std::function<Status()> election;  ///< the watchdog; empty without leader election
  std::function<Status()> api_server;
  std::function<Status()> caches;
};

class ManagerServer {
 public:
  /// References are borrowed.
  ManagerServer(const Options& options, const Dependencies& dependencies,
                ApiConnections& connections, ManagerView view);
  ~ManagerServer();
  ManagerServer(const ManagerServer&) = delete;
  ManagerServer& operator=(const ManagerServer&) = delete;

  /// Binds the ports that are not 0. The error names the flag or the address.
  Status Start();

 private:
  void AddHealth();
  void AddMetrics();
  void AddZPages();
  void AddDebugPages();
  void AddWhy();
  Status StartGuard();
  Status StartBare(std::unique_ptr<HttpServer>& server, const std::string& name, int port,
                   const http::Mux& mux);

  const Options& options_;
  const Dependencies& dependencies_;
  ApiConnections& connections_;
  const ManagerView view_;
  std::stop_source stop_;
  http::Mux mux_;
  http::Mux health_mux_;   // for --healthz-port
  http::Mux metrics_mux_;  // for --metrics-port
  std::unique_ptr<AccessGuard> guard_;
  std::unique_ptr<HttpsServer> https_;
  std::unique_ptr<HttpServer> metrics_;
  std::unique_ptr<HttpServer> healthz_;
};

}  // namespace capstan::manager
