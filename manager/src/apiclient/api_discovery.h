#pragma once

/// What the manager must know about the API server before the controllers start: that it is
/// healthy, and which resources it serves.
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

/// Requests /healthz every second until it succeeds. Returns Timeout after `timeout`, with `server`
/// ("host:port") and the last failure. Returns Canceled when `stop` is triggered.
Status AwaitServer(const Client& client, std::string_view server, Runtime& runtime,
                   Duration timeout, const std::stop_token& stop);

/// RestMapper: tells which resources the server serves. It reads the discovery document of a group
/// and version on demand, and no other documents. A document that cannot be read (an aggregated API
/// that is down) is therefore an error only for its own resources. Documents are cached until
/// Reset, errors are not.
///
/// Threads: all methods may be called from any thread. Serves and Missing wait for the server.
class RestMapper {
 public:
  explicit RestMapper(const Client& client) : client_(client) {}

  Result<bool> Serves(const ResourceInfo& resource);
  /// The resources of the informers that the server does not serve: "widgets.example.dev/v1",
  /// "pods/v1". Returns the first error if a document cannot be read.
  Result<std::vector<std::string>> Missing(const std::vector<SharedInformer*>& informers);
  /// Clears the cache: all documents are read again.
  void Reset();

 private:
  using Names = std::set<std::string, std::less<>>;

  Result<std::shared_ptr<const Names>> NamesOf(const ResourceInfo& resource);
  Result<Names> Read(const std::string& path) const;

  const Client client_;
  Mutex mutex_;
  int64_t resets_ CAPSTAN_GUARDED_BY(mutex_) = 0;
  /// Keyed by the path of the document. The set is empty if the server has no such group and
  /// version.
  std::map<std::string, std::shared_ptr<const Names>> known_ CAPSTAN_GUARDED_BY(mutex_);
};

}  // namespace capstan::manager
