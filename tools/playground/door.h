#pragma once

/// Door: a listener, HTTPS or plain, in front of an ApiServer. It has threads of its own.

#include <memory>
#include <optional>
#include <string>

#include <capstan/runtime/status.h>
#include <capstan/testing/api_server.h>

#include "playground/identity.h"

namespace capstan::playground {

struct DoorOptions {
  std::string bind_address = "127.0.0.1";
  int port = 0;  ///< 0 = one that is free
  /// HTTPS with this, for clients that show its token; without it plain HTTP, for everybody.
  std::optional<Identity> identity = std::nullopt;
  size_t max_body = testing::ApiServerOptions{}.max_body;
};

class Door {
 public:
  /// Listens until destroyed; then every request and watch ends. `server` is borrowed. The error
  /// names the address.
  static Result<std::unique_ptr<Door>> Open(const DoorOptions& options, testing::ApiServer& server);
  ~Door();

  int port() const;
  /// What clients reach it by, "https://127.0.0.1:6443".
  std::string Url() const;
  /// Ends all requests and watches, and refuses new ones.
  void Close();

 private:
  struct Impl;
  explicit Door(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace capstan::playground
