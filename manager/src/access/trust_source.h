#pragma once

/// TrustSource: the certificate authorities that are trusted for client certificates and for
/// proxies, and the headers in which proxies name users.
///
/// They come from the files that the options name, or else from the ConfigMap
/// kube-system/extension-apiserver-authentication, in which kube-apiserver publishes its own. Both
/// are read again while the process runs. If one cannot be read or parsed, the last known content
/// stays in use.
/// https://kubernetes.io/docs/tasks/extend-kubernetes/configure-aggregation-layer/#original-request-username-and-group
///
/// If the authority of the proxies also signs client certificates, every client could claim any
/// user name. In that case no proxy is trusted unless the names of the proxies are listed.
///
/// Threads: all methods may be called from any thread. A thread of the Runtime reads the files and
/// the ConfigMap.

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
  std::shared_ptr<const ClientCa> client_ca;  ///< null: no client certificate is trusted
  RequestHeaderConfig request_header;
};

class TrustSource {
 public:
  static constexpr Duration kLookupPeriod = std::chrono::minutes(1);
  /// The period of the lookup until it first succeeds, and the period of reading the files.
  static constexpr Duration kShortPeriod = std::chrono::seconds(10);

  /// If `client` is null, there is no lookup. `client` must outlive this object and be stopped
  /// before it.
  TrustSource(const AuthenticationOptions& options, ReviewClient* client, Runtime& runtime);
  ~TrustSource();

  /// Returns InvalidArgument for a file that is not a certificate bundle. Waits for the lookup only
  /// if its failure is not tolerated.
  Status Start();
  void Stop();

  std::shared_ptr<const Trust> Current() const;

 private:
  struct File {
    std::string flag;
    std::string path;
    std::optional<std::string> text;  // as last read
  };
  bool LooksUp() const;
  bool ReadsFiles() const;
  void Run(const std::stop_token& stop);
  /// Reads the file if it is configured, and parses it if it has changed.
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

  // Used by Start, then only by the thread.
  File client_ca_file_;
  File request_header_ca_file_;
  Trust next_;
  bool lookup_succeeded_ = false;
  bool overlap_logged_ = false;
  Status files_reported_;
  Status lookup_reported_;

  mutable Mutex mutex_;
  std::shared_ptr<const Trust> current_ CAPSTAN_GUARDED_BY(mutex_);
  std::stop_source stop_;
  std::unique_ptr<Thread> thread_;
};

}  // namespace capstan::manager
