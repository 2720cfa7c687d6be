#pragma once

/// HttpsServer and HttpServer: the listeners in front of a Mux. It has threads of its own, outside
/// of the Runtime: nothing that controllers do passes here.

#include <memory>

#include <capstan/runtime/status.h>

#include "mux.h"
#include "options.h"

namespace capstan::manager {

class HttpsServer {
 public:
  /// Binds and serves until destroyed. `mux` is borrowed and no more changed. Errors name the
  /// address, or the certificate's file.
  static Result<std::unique_ptr<HttpsServer>> Start(const ServingOptions& options, const Mux& mux);
  ~HttpsServer();

  /// The port in use; the system chose it when the options say -1.
  int port() const;

 private:
  struct Impl;
  explicit HttpsServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace capstan::manager
