#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace capstan::e2e {

// A request in the audit log of kube-apiserver.
struct AuditedRequest {
  std::string user;  // the impersonated user, else the authenticated one
  std::string verb, resource, subresource;
  bool succeeded = false;
  std::chrono::system_clock::time_point received;

  // Whether the request changes anything.
  bool IsWrite() const;
  // The same without the requests of leader election.
  bool IsWork() const { return IsWrite() && resource != "leases" && resource != "events"; }
};

// The audit log of a kube-apiserver: the flags that enable it, and the entries since the last read.
class AuditLog {
 public:
  // The directory must outlive the log.
  explicit AuditLog(const std::filesystem::path& directory);

  std::vector<std::string> ServerFlags() const;
  std::vector<AuditedRequest> NewRequests();

 private:
  const std::filesystem::path policy_, log_;
  size_t read_ = 0;
};

// A kubeconfig like `kubeconfig` whose requests are logged as those of `user`, who is an
// administrator.
std::string ImpersonatingKubeconfig(const std::filesystem::path& kubeconfig,
                                    const std::string& user);

}  // namespace capstan::e2e
