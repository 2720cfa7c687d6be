#pragma once

/// Frontend: an HTTPS or plain HTTP listener in front of an ApiServer. It starts its own threads:
/// one for all connections, several that answer requests, and one for each open watch.

#include <memory>
#include <optional>
#include <string>

#include <capstan/runtime/status.h>
#include <capstan/testing/api_server.h>

#include "playground/identity.h"

namespace capstan::playground {

struct FrontendOptions {
  std::string bind_address = "127.0.0.1";
  int port = 0;  ///< 0 = any free port
  /// Enables HTTPS with this certificate, for clients that send its token. Without it the frontend
  /// serves plain HTTP without authentication.
  std::optional<Identity> identity = std::nullopt;
  size_t max_body = testing::ApiServerOptions{}.max_body;
  /// Maximum number of concurrent watches. Further watches get 429.
  size_t max_watches = 512;
};

class Frontend {
 public:
  /// Listens until destroyed, which ends all requests and watches. `server` is borrowed. The error
  /// names the address.
  static Result<std::unique_ptr<Frontend>> Open(const FrontendOptions& options,
                                                testing::ApiServer& server);
  ~Frontend();

  int port() const;
  /// The URL for clients: "https://127.0.0.1:6443".
  std::string Url() const;
  /// Ends all requests and watches and refuses new ones.
  void Close();

 private:
  struct Impl;
  explicit Frontend(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace capstan::playground
