#include "bench/parts/manager_kind.h"

#include <unistd.h>

#include <cstdio>

#include "e2e/api_server.h"
#include "e2e/manager.h"

namespace capstan::bench {

const char* NameOf(ManagerKind kind) { return kind == ManagerKind::kKcm ? "kcm" : "capstan"; }

std::vector<std::string> CommandOf(ManagerKind kind) {
  const std::string binary = kind == ManagerKind::kKcm
                                 ? e2e::ServerBinary("kube-controller-manager").string()
                                 : e2e::ManagerBinary();
  return {binary, "--controllers=deployment-controller,replicaset-controller"};
}

bool ServersAreThere(const char* benchmark) {
  for (const char* name : {"etcd", "kube-apiserver", "kubectl", "kube-controller-manager"}) {
    if (access(e2e::ServerBinary(name).c_str(), X_OK) == 0) continue;
    std::printf("%s: skipped, as %s is not built (Go builds it; see ./dev help)\n", benchmark,
                name);
    return false;
  }
  return true;
}

}  // namespace capstan::bench
