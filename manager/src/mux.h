#pragma once

/// Mux: which handler answers which path. A pure function of request to response; the listener
/// (http_server.h) knows nothing of paths and the handlers nothing of sockets.
///
/// Threads: handlers are added before the first Serve; Serve may be called from any thread.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/runtime/status.h>

namespace capstan::manager {

struct ServerRequest {
  std::string method = "GET";
  std::string path;  ///< decoded, without the query
  std::vector<std::pair<std::string, std::string>> query;

  /// Whether there is such a parameter, with or without a value.
  bool Has(std::string_view name) const;
  /// The value of the first such parameter, or "".
  std::string Get(std::string_view name) const;
};

/// Splits and decodes a request's target, "/healthz?verbose". Malformed for an escape that is none.
Result<ServerRequest> ParseTarget(std::string_view method, std::string_view target);

struct ServerResponse {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
};

class Mux {
 public:
  using Handler = std::function<ServerResponse(const ServerRequest&)>;

  /// Answers `path`, and with a '/' at its end everything below it.
  void Handle(std::string path, Handler handler);

  /// 404 for unknown paths, 405 for other methods than GET and HEAD, 500 for a handler that throws.
  /// The longest path that fits counts.
  ServerResponse Serve(const ServerRequest& request) const;

 private:
  std::map<std::string, Handler, std::less<>> handlers_;
};

}  // namespace capstan::manager
