#pragma once

/// HttpsServer and HttpServer: the listeners in front of a handler, such as a Mux or the filters
/// before it. They have their own threads, outside of the Runtime. Controllers do not use these
/// threads.
///
/// The handler is called by several threads at a time, and never after the server is destroyed. It
/// may wait, for example for a token review. Requests without a response before the deadline are
/// not cancelled.

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

/// Serves over TLS, on --bind-address and --secure-port.
class HttpsServer {
 public:
  /// Binds and serves until destroyed. Errors name the address, or the flag and file, and the
  /// reason.
  static Result<std::unique_ptr<HttpsServer>> Start(const ServingOptions& options,
                                                    http::Mux::Handler handler,
                                                    const http::ServingLimits& limits = {});
  ~HttpsServer();

  /// The bound port. If the option is -1, the system chooses it.
  int port() const;

 private:
  HttpsServer(std::unique_ptr<ServingCertificates> certificates,
              std::unique_ptr<http::HttpListener> listener);

  const std::unique_ptr<ServingCertificates> certificates_;
  const std::unique_ptr<http::HttpListener> listener_;
};

/// Serves without TLS, for --metrics-port and --healthz-port. `name` (such as "metrics") names its
/// threads and appears in the log.
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
