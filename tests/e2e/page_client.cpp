#include "page_client.h"

#include <stdexcept>

namespace capstan::e2e {

PageAnswer AskPage(int port, const std::string& method, const std::string& path, RestConfig config,
                   const std::vector<std::pair<std::string, std::string>>& headers,
                   const std::string& body) {
  config.server = "https://127.0.0.1:" + std::to_string(port);
  config.tls.insecure_skip_verify = true;
  auto transport = NewHttpTransport(config, SystemRuntime());
  if (!transport) throw std::runtime_error(transport.status().ToString());
  HttpRequest request;
  request.method = method;
  request.target = path;
  request.headers = headers;
  request.body = body;
  auto response = (*transport)->RoundTrip(request, {});
  if (!response) return {0, response.status().ToString()};
  auto text = ReadAll(**response, 16 << 20);
  return {(*response)->status(), text ? *text : text.status().ToString()};
}

}  // namespace capstan::e2e
