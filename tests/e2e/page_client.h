#pragma once

#include <string>
#include <utility>
#include <vector>

#include <capstan/client/rest_config.h>

namespace capstan::e2e {

struct PageAnswer {
  int status = 0;  // 0: there was no response, and `body` says why
  std::string body;
};

// Sends a request to the manager on this port of 127.0.0.1, with the credentials of `config`.
PageAnswer AskPage(int port, const std::string& method, const std::string& path, RestConfig config,
                   const std::vector<std::pair<std::string, std::string>>& headers = {},
                   const std::string& body = "");

}  // namespace capstan::e2e
