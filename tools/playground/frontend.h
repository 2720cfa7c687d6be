#pragma once

/// Frontend: a listener, HTTPS or plain, in front of an ApiServer. It has threads of its own: one
/// for all connections, some that answer requests, and one for each open watch.

#include <memory>
#include <optional>
#include <string>

#include <capstan/runtime/status.h>
#include <capstan/testing/api_server.h>

#include "playground/identity.h"

namespace capstan::playground {

struct FrontendOptions {
  std::string bind_address = "127.0.0.1";
  int port = 0;  ///< 0 = one that is free
  /// HTTPS with this, for clients that show its token; without it plain HTTP, for everybody.
  std::optional<Identity> identity = std::nullopt;
  size_t max_body = testing::ApiServerOptions{}.max_body;
  /// How many watches may be open at the same time; one more is answered with 429.
  size_t max_watches = 512;
};

class Frontend {
 public:
  /// Listens until destroyed; then every request and watch ends. `server` is borrowed. The error
  /// names the address.
  static Result<std::unique_ptr<Frontend>> Open(const FrontendOptions& options,
                                                testing::ApiServer& server);
  ~Frontend();

  int port() const;
  /// What clients reach it by, "https://127.0.0.1:6443".
  std::string Url() const;
  /// Ends all requests and watches, and refuses new ones.
  void Close();

 private:
  struct Impl;
  explicit Frontend(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace capstan::playground
