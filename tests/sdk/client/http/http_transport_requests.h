#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include <capstan/client/rest_config.h>
#include <capstan/client/transport.h>
#include <capstan/runtime/runtime.h>

#include "http_transport_server.h"

namespace capstan::http_test {

inline constexpr size_t kLimit = 1 << 20;

inline RestConfig ConfigFor(const ScriptedServer& server) {
  RestConfig config;
  config.server = server.Url();
  config.user_agent = "test/1";
  return config;
}

inline std::unique_ptr<Transport> TransportFor(const RestConfig& config) {
  auto transport = NewHttpTransport(config, SystemRuntime());
  EXPECT_TRUE(transport) << transport.status().ToString();
  return transport ? *std::move(transport) : nullptr;
}

inline HttpRequest Get(const std::string& target = "/api") {
  HttpRequest request;
  request.method = "GET";
  request.target = target;
  return request;
}

inline HttpRequest Post(const std::string& body) {
  HttpRequest request;
  request.method = "POST";
  request.target = "/api";
  request.headers = {{"Content-Type", "application/json"}};
  request.body = body;
  return request;
}

// The whole body of the response, or the error.
inline Result<std::string> BodyOf(Transport& transport, const HttpRequest& request) {
  auto response = transport.RoundTrip(request, {});
  if (!response) return response.status();
  return ReadAll(**response, kLimit);
}

}  // namespace capstan::http_test
