#pragma once

// What a TLS connection to one server trusts and shows.

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

// A client certificate and its key, both or neither.
struct ClientCertificate {
  std::string cert_pem, key_pem;
  bool empty() const { return cert_pem.empty() && key_pem.empty(); }
  friend bool operator==(const ClientCertificate&, const ClientCertificate&) = default;
};

// Whether `config` only makes sense with TLS, so that an address without a scheme means https.
bool NamesTls(const TlsConfig& config);

class TlsContext {
 public:
  // `ca_pem` "" trusts the system's authorities. `name` is the host name or IP address that the
  // server's certificate must be good for. The name check is part of OpenSSL's own chain check, so
  // no handshake can end without it.
  struct Options {
    std::string ca_pem;
    ClientCertificate client;
    std::string name;
    bool insecure_skip_verify = false;
  };
  static Result<std::shared_ptr<const TlsContext>> Create(const Options& options);

  SSL_CTX* get() const { return context_.get(); }
  // The name to send (SNI); "" for an IP address, which has none.
  const std::string& server_name() const { return server_name_; }

 private:
  TlsContext() = default;

  tls::ContextPtr context_;
  std::string server_name_;
};

// The context of now: made anew when a file that it was read from has changed, or when a credential
// plugin gives another certificate. A file that does not read or decode leaves the old context.
//
// Threads: Current may be called from any thread.
class TlsContextSource {
 public:
  static Result<std::unique_ptr<TlsContextSource>> Create(const TlsConfig& config,
                                                          const std::string& host,
                                                          const Clock& clock);

  // `client` replaces the configured client certificate unless it is empty.
  Result<std::shared_ptr<const TlsContext>> Current(const ClientCertificate& client);

 private:
  struct Loaded {
    TlsContext::Options options;  // from the configuration
    std::array<io::FileStamp, 3> stamps;
  };

  TlsContextSource(TlsConfig config, std::string name, const Clock& clock);
  std::array<io::FileStamp, 3> Stamps() const;
  Result<Loaded> Load() const;
  // What changed on disk, when it is time to look.
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
