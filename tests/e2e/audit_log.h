#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace capstan::e2e {

// A request as kube-apiserver has recorded it.
struct AuditedRequest {
  std::string user;  // whom it impersonated, else who sent it
  std::string verb, resource;
  bool succeeded = false;
  std::chrono::system_clock::time_point received;

  // Whether it changes anything.
  bool IsWrite() const;
  // The same, without what belongs to the election.
  bool IsWork() const { return IsWrite() && resource != "leases" && resource != "events"; }
};

// The audit log of a kube-apiserver: which flags it takes, and what has come since the last look.
class AuditLog {
 public:
  // In a directory that outlives it.
  explicit AuditLog(const std::filesystem::path& directory);

  std::vector<std::string> ServerFlags() const;
  std::vector<AuditedRequest> News();

 private:
  const std::filesystem::path policy_, log_;
  size_t read_ = 0;
};

// A kubeconfig like `kubeconfig`, whose requests the log shows as those of `user`, an
// administrator.
std::string ImpersonatingKubeconfig(const std::filesystem::path& kubeconfig,
                                    const std::string& user);

}  // namespace capstan::e2e
