#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api_server.h"
#include "process.h"

namespace capstan::e2e {

struct KubeApiServerOptions {
  // passed in addition to the default flags
  std::vector<std::string> server_flags = {};
  std::vector<std::string> etcd_flags = {};
  // Called when etcd has been started, before kube-apiserver is.
  std::function<void(const std::string& etcd_url)> prepare = {};
};

// A kube-apiserver and its etcd.
class KubeApiServer final : public ApiServer {
 public:
  explicit KubeApiServer(KubeApiServerOptions options);

  void Start() override;
  void Stop() override;

  // "http://127.0.0.1:PORT"
  const std::string& etcd_url() const { return etcd_url_; }
  // The process kube-apiserver, which must be running.
  pid_t pid() const { return server_->pid(); }

 private:
  void StartEtcd();
  void WriteKubeconfig();

  const KubeApiServerOptions options_;
  std::string etcd_url_, peer_url_;
  int port_ = 0;
  std::unique_ptr<Process> etcd_;
  std::unique_ptr<Process> server_;
};

}  // namespace capstan::e2e
