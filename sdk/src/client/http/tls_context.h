#pragma once

/// What a TLS connection to one server trusts and presents.

#include <openssl/ssl.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <capstan/client/rest_config.h>
#include <capstan/runtime/clock.h>
#include <capstan/runtime/mutex.h>
#include <capstan/runtime/status.h>

#include "base/io/file_stamp.h"
#include "base/tls/openssl_ptr.h"

namespace capstan::client {

/// A client certificate and its key: both set or both empty.
struct ClientCertificate {
  std::string cert_pem, key_pem;
  bool empty() const { return cert_pem.empty() && key_pem.empty(); }
  friend bool operator==(const ClientCertificate&, const ClientCertificate&) = default;
};

/// Whether `config` has settings that only apply to TLS. If so, an address without a scheme means
/// https.
bool NamesTls(const TlsConfig& config);

class TlsContext {
 public:
  /// An empty `ca_pem` means the system's certificate authorities. `name` is the host name or IP
  /// address that the server's certificate must be valid for. The name check is part of OpenSSL's
  /// chain verification, so no handshake succeeds without it.
  struct Options {
    std::string ca_pem;
    ClientCertificate client;
    std::string name;
    bool insecure_skip_verify = false;
  };
  static Result<std::shared_ptr<const TlsContext>> Create(const Options& options);

  SSL_CTX* get() const { return context_.get(); }
  /// The server name to send (SNI); "" for an IP address, which has none.
  const std::string& server_name() const { return server_name_; }

 private:
  TlsContext() = default;

  tls::ContextPtr context_;
  std::string server_name_;
};

/// The current context. It is created again when one of its files changes, or when a credential
/// plugin returns another certificate. A file that cannot be read or decoded leaves the old
/// context.
///
/// Threads: Current may be called from any thread.
class TlsContextSource {
 public:
  static Result<std::unique_ptr<TlsContextSource>> Create(const TlsConfig& config,
                                                          const std::string& host,
                                                          const Clock& clock);

  /// `client` replaces the configured client certificate unless it is empty.
  Result<std::shared_ptr<const TlsContext>> Current(const ClientCertificate& client);

 private:
  struct Loaded {
    TlsContext::Options options;  // from the configuration
    std::array<io::FileStamp, 3> stamps;
  };

  TlsContextSource(TlsConfig config, std::string name, const Clock& clock);
  std::array<io::FileStamp, 3> Stamps() const;
  Result<Loaded> Load() const;
  // Returns the new content if a check is due and files have changed.
  std::optional<Loaded> Reload();

  const TlsConfig config_;
  const std::string name_;
  const Clock& clock_;
  Mutex mutex_;
  Loaded loaded_ CAPSTAN_GUARDED_BY(mutex_);
  ClientCertificate client_ CAPSTAN_GUARDED_BY(mutex_);
  std::shared_ptr<const TlsContext> context_ CAPSTAN_GUARDED_BY(mutex_);
  MonotonicTime next_check_ CAPSTAN_GUARDED_BY(mutex_);
};

}  // namespace capstan::client
