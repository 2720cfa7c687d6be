#pragma once

/// Mux: dispatches requests to handlers by path. It is a pure function from request to response.
/// The listener (http_listener.h) does not know paths, and handlers do not know sockets.
///
/// Threads: all handlers must be added before the first Serve. Serve may be called from any
/// thread.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/runtime/status.h>

#include "base/http/body_stream.h"

namespace capstan::http {

struct ServerResponse {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};  ///< besides the standard ones
  std::shared_ptr<BodyReader> stream = nullptr;  ///< the body, if it is sent while it is written
};

struct ServerRequest {
  std::string method = "GET";
  std::string path;  ///< decoded, without the query
  std::vector<std::pair<std::string, std::string>> query;
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};  ///< complete; the listener limits its size
  /// The certificate chain that the client presented, in DER. TLS has verified that the client
  /// holds the key of the first one. The signatures have not been verified.
  std::vector<std::string> client_certificates = {};
  std::string remote_address = {};  ///< "10.0.0.1:51234"
  std::string target = {};          ///< path and query as received
  /// Set only if RequestLimits::handler_refuses. The request is malformed or too large, the fields
  /// of this struct may be incomplete, and this is the default response. The connection is closed
  /// after the response.
  std::optional<ServerResponse> refusal = std::nullopt;

  /// The value of the first header with this name, compared case-insensitively, or "".
  std::string Header(std::string_view name) const;
  /// Whether the query has this parameter, with or without a value.
  bool Has(std::string_view name) const;
  /// The value of the first query parameter with this name, or "".
  std::string Get(std::string_view name) const;
};

/// Splits and decodes a request target such as "/healthz?verbose". A malformed percent-encoding is
/// a Malformed error.
Result<ServerRequest> ParseTarget(std::string_view method, std::string_view target);

class Mux {
 public:
  using Handler = std::function<ServerResponse(const ServerRequest&)>;

  /// Registers a handler for `path`. A path that ends with '/' also matches all paths below
  /// it.
  void Handle(std::string path, Handler handler) {
    Handle({}, std::move(path), std::move(handler));
  }
  /// Registers a handler for one method, such as "PUT". "" means GET and HEAD.
  void Handle(std::string method, std::string path, Handler handler);

  /// The registered paths, sorted by name.
  std::vector<std::string> Paths() const;

  /// Calls the handler with the longest matching path. Returns 404 for an unknown path, 405 for a
  /// method without a handler and 500 if the handler throws.
  ServerResponse Serve(const ServerRequest& request) const;

 private:
  struct Page {
    std::string method;
    Handler handler;
  };
  static ServerResponse MethodNotAllowed(const std::vector<Page>& pages);

  std::map<std::string, std::vector<Page>, std::less<>> pages_;
};

}  // namespace capstan::http
