#pragma once

/// What is known of the API server before the controllers start: that it answers, and which
/// resources it serves.
/// (https://kubernetes.io/docs/concepts/overview/kubernetes-api/#discovery-api)

#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/api/descriptor.h>
#include <capstan/cache/shared_informer.h>
#include <capstan/client/client.h>
#include <capstan/runtime/mutex.h>
#include <capstan/runtime/runtime.h>

namespace capstan::manager {

inline constexpr Duration kServerTimeout = std::chrono::seconds(10);

/// Asks for /healthz each second until the answer is good. Timeout after `timeout`, with the
/// `server` ("host:port") and the last failure; Canceled when `stop` is triggered.
Status AwaitServer(const Client& client, std::string_view server, Runtime& runtime,
                   Duration timeout, const std::stop_token& stop);

/// RestMapper: which resources the server serves. Reads the discovery document of each group and
/// version that is asked for, and of no other: one that cannot be read (an aggregated API that is
/// down) is an error for its own resources only. What was read is kept until Reset, errors are not.
///
/// Threads: all methods may be called from any thread; Serves and Missing wait for the server.
class RestMapper {
 public:
  explicit RestMapper(const Client& client) : client_(client) {}

  Result<bool> Serves(const ResourceInfo& resource);
  /// Which of the informers' resources are not served: "widgets.example.dev/v1", "pods/v1". The
  /// error is the first of a group that cannot be read.
  Result<std::vector<std::string>> Missing(const std::vector<SharedInformer*>& informers);
  /// From now on everything is read anew.
  void Reset();

 private:
  using Names = std::set<std::string, std::less<>>;

  Result<std::shared_ptr<const Names>> NamesOf(const ResourceInfo& resource);
  Result<Names> Read(const std::string& path) const;

  const Client client_;
  Mutex mutex_;
  int64_t resets_ CAPSTAN_GUARDED_BY(mutex_) = 0;
  /// By the path of the document. Empty where the server has no such group and version.
  std::map<std::string, std::shared_ptr<const Names>> known_ CAPSTAN_GUARDED_BY(mutex_);
};

}  // namespace capstan::manager
