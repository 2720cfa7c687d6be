#pragma once

/// One request that came in by a Door, and its answer.

#include <stop_token>
#include <string>

#include <Poco/Net/HTTPServerRequest.h>
#include <Poco/Net/HTTPServerResponse.h>
#include <Poco/Net/StreamSocket.h>

#include <capstan/testing/api_server.h>

#include "playground/hangup_monitor.h"

namespace capstan::playground {

/// What the exchanges of a door share.
struct ExchangeContext {
  testing::ApiServer& server;
  HangupMonitor& monitor;
  std::string token;
  size_t max_body;
  std::stop_token stop;
};

/// Reads the request's body, has it served and sends the answer; a watch's goes on until the
/// client, the server or `context.stop` ends it. Throws what POCO throws when the client is gone.
void Exchange(ExchangeContext& context, Poco::Net::HTTPServerRequest& request,
              Poco::Net::HTTPServerResponse& response, Poco::Net::StreamSocket& socket);

}  // namespace capstan::playground
