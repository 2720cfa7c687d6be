#include <utility>

#include <capstan/client/rest_config.h>

#include "client/auth/credentials.h"
#include "client/http/http_transport.h"

namespace capstan {

Result<std::unique_ptr<Transport>> NewHttpTransport(const RestConfig& config, Runtime& runtime) {
  auto credentials = client::NewCredentials(config, runtime);
  if (!credentials) return credentials.status();
  return client::HttpTransport::Create(config, *std::move(credentials), runtime);
}

}  // namespace capstan
