#pragma once

/// One request that came in by a Frontend, and its answer.

#include <cstddef>
#include <stop_token>
#include <string>

#include <capstan/testing/api_server.h>

#include "base/http/mux.h"
#include "playground/watch_threads.h"

namespace capstan::playground {

/// What the exchanges of a frontend share.
struct ExchangeContext {
  testing::ApiServer& server;
  WatchThreads& watches;
  std::string token;  ///< "" lets everybody in
  size_t max_body;
  std::stop_token stop;
};

/// Has a request served. A watch's answer is a stream, which goes on until the client, the server
/// or `context.watches` ends it.
http::ServerResponse Exchange(ExchangeContext& context, const http::ServerRequest& request);

}  // namespace capstan::playground
