#pragma once

#include <string>
#include <vector>

namespace capstan::bench {

/// The managers that are compared.
enum class ManagerKind { kKcm, kCapstan };

/// "kcm", "capstan"
const char* NameOf(ManagerKind kind);

/// The program with the Deployment and the ReplicaSet controller, without --kubeconfig.
std::vector<std::string> CommandOf(ManagerKind kind);

/// Whether kube-apiserver, etcd, kubectl and kube-controller-manager have been built. If not, this
/// prints that `benchmark` is left out.
bool ServersAreThere(const char* benchmark);

}  // namespace capstan::bench
