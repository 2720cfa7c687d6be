#pragma once

/// TrustSource: which authorities client certificates and proxies are believed by, and what headers
/// proxies name users in.
///
/// From the files that the options name, else from the ConfigMap
/// kube-system/extension-apiserver-authentication, in which kube-apiserver publishes its own. Both
/// are read again while the process runs. What cannot be read or understood leaves what was known.
/// https://kubernetes.io/docs/tasks/extend-kubernetes/configure-aggregation-layer/#original-request-username-and-group
///
/// A proxy's authority that signs clients' certificates too would let every client name itself:
/// without a list of the proxies' names no proxy is believed then.
///
/// Threads: all methods from any thread. A thread of the Runtime reads.

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include <capstan/runtime/runtime.h>
#include <capstan/runtime/status.h>

#include "access/client_ca.h"
#include "access/request_header_authenticator.h"
#include "access/review_client.h"
#include "access/reviews.h"
#include "config/options.h"

namespace capstan::manager {

struct Trust {
  std::shared_ptr<const ClientCa> client_ca;  ///< null: no client certificate is believed
  RequestHeaderConfig request_header;
};

class TrustSource {
 public:
  static constexpr Duration kLookupPeriod = std::chrono::minutes(1);
  /// Of the lookup until it has succeeded, and of the files.
  static constexpr Duration kShortPeriod = std::chrono::seconds(10);

  /// `client` null: there is no lookup. It must outlive this, and be stopped before.
  TrustSource(const AuthenticationOptions& options, ReviewClient* client, Runtime& runtime);
  ~TrustSource();

  /// InvalidArgument for a file that is no bundle. The lookup is waited for only when its failure
  /// is not tolerated.
  Status Start();
  void Stop();

  std::shared_ptr<const Trust> Current() const;

 private:
  struct File {
    std::string flag;
    std::string path;
    std::optional<std::string> text;  // as it was read last
  };
  bool LooksUp() const;
  void Run(const std::stop_token& stop);
  /// Reads it if it is named and has changed.
  Status ReadFile(File& file, std::shared_ptr<const ClientCa>& ca);
  Status ReadFiles();
  void ReportFiles(const Status& status);
  Status LookUp();
  Status Take(const TrustConfigMap& config_map);
  void Publish();
  void ReportLookup(const Status& status);

  const AuthenticationOptions options_;
  ReviewClient* const client_;
  Runtime& runtime_;

  // Of Start, then of the thread.
  File client_ca_file_;
  File request_header_ca_file_;
  Trust next_;
  bool lookup_succeeded_ = false;
  bool overlap_told_ = false;
  Status files_reported_;
  Status lookup_reported_;

  mutable Mutex mutex_;
  std::shared_ptr<const Trust> current_ CAPSTAN_GUARDED_BY(mutex_);
  std::stop_source stop_;
  std::unique_ptr<Thread> thread_;
};

}  // namespace capstan::manager
