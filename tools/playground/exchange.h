#pragma once

/// One request received by a Frontend, and its response.

#include <cstddef>
#include <stop_token>
#include <string>

#include <capstan/testing/api_server.h>

#include "base/http/mux.h"
#include "playground/watch_threads.h"

namespace capstan::playground {

/// Dependencies shared by all exchanges of a frontend.
struct ExchangeContext {
  testing::ApiServer& server;
  WatchThreads& watches;
  std::string token;  ///< "" disables authentication
  size_t max_body;
  std::stop_token stop;
};

/// Serves a request. The response to a watch is a stream, which continues until the client, the
/// server or `context.watches` ends it.
http::ServerResponse Exchange(ExchangeContext& context, const http::ServerRequest& request);

}  // namespace capstan::playground
