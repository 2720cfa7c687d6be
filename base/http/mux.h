#pragma once

/// Mux: which handler answers which path. A pure function of request to response; the listener
/// (http_listener.h) knows nothing of paths and the handlers nothing of sockets.
///
/// Threads: handlers are added before the first Serve; Serve may be called from any thread.

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
  std::vector<std::pair<std::string, std::string>> headers = {};  ///< besides the usual ones
  std::shared_ptr<BodyReader> stream = nullptr;  ///< the body, when it is written while it is sent
};

struct ServerRequest {
  std::string method = "GET";
  std::string path;  ///< decoded, without the query
  std::vector<std::pair<std::string, std::string>> query;
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};  ///< whole; the listener bounds its size
  /// What the client proved to hold the key of, and what it says has signed that; DER. Nobody has
  /// checked who signed them.
  std::vector<std::string> client_certificates = {};
  std::string remote_address = {};  ///< "10.0.0.1:51234"
  std::string target = {};          ///< path and query as they came
  /// Set only where the limits say that the handler refuses: the request is malformed or too large,
  /// what is here of it is not whole, and this would be the answer. The connection ends after it.
  std::optional<ServerResponse> refusal = std::nullopt;

  /// The value of the first such header, its name in any case, or "".
  std::string Header(std::string_view name) const;
  /// Whether there is such a parameter, with or without a value.
  bool Has(std::string_view name) const;
  /// The value of the first such parameter, or "".
  std::string Get(std::string_view name) const;
};

/// Splits and decodes a request's target, "/healthz?verbose". Malformed for an escape that is none.
Result<ServerRequest> ParseTarget(std::string_view method, std::string_view target);

class Mux {
 public:
  using Handler = std::function<ServerResponse(const ServerRequest&)>;

  /// Answers `path`, and with a '/' at its end everything below it.
  void Handle(std::string path, Handler handler) {
    Handle({}, std::move(path), std::move(handler));
  }
  /// The same for one method, such as "PUT"; "" is GET and HEAD.
  void Handle(std::string method, std::string path, Handler handler);

  /// What is handled, by name.
  std::vector<std::string> Paths() const;

  /// 404 for unknown paths, 405 for methods that nobody handles, 500 for a handler that throws. The
  /// longest path that fits counts.
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
