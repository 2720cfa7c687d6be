#pragma once

/// HttpsServer and HttpServer: the listeners in front of a handler, such as a Mux or the filters
/// before it. They have threads of their own, outside of the Runtime: nothing that controllers do
/// passes here.
///
/// The handler is called by several threads at a time, and not any more once the server is gone.
/// It may wait, for a token's review for example; what it gives no answer to in time nobody cuts.

#include <memory>
#include <string>

#include <capstan/runtime/status.h>

#include "base/http/mux.h"
#include "base/http/serving_limits.h"
#include "config/options.h"

namespace capstan::http {
class HttpListener;
}

namespace capstan::manager {

class ServingCertificates;

/// Over TLS, on --bind-address and --secure-port.
class HttpsServer {
 public:
  /// Binds and serves until destroyed. Errors name the address, or the flag and file, and the
  /// reason.
  static Result<std::unique_ptr<HttpsServer>> Start(const ServingOptions& options,
                                                    http::Mux::Handler handler,
                                                    const http::ServingLimits& limits = {});
  ~HttpsServer();

  /// The port in use; the system chose it when the options say -1.
  int port() const;

 private:
  HttpsServer(std::unique_ptr<ServingCertificates> certificates,
              std::unique_ptr<http::HttpListener> listener);

  const std::unique_ptr<ServingCertificates> certificates_;
  const std::unique_ptr<http::HttpListener> listener_;
};

/// Bare, for --metrics-port and --healthz-port. `name` (such as "metrics") is for its threads and
/// the log.
class HttpServer {
 public:
  static Result<std::unique_ptr<HttpServer>> Start(const std::string& name,
                                                   const std::string& bind_address, int port,
                                                   http::Mux::Handler handler,
                                                   const http::ServingLimits& limits = {});
  ~HttpServer();

  int port() const;

 private:
  explicit HttpServer(std::unique_ptr<http::HttpListener> listener);

  const std::unique_ptr<http::HttpListener> listener_;
};

}  // namespace capstan::manager
