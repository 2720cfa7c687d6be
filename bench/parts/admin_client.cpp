#include "bench/parts/admin_client.h"

#include <memory>
#include <stdexcept>
#include <utility>

#include <capstan/client/rest_config.h>
#include <capstan/runtime/runtime.h>

namespace capstan::bench {

Client NewAdminClient(const e2e::ApiServer& server) {
  auto config = LoadKubeconfig({.paths = {server.kubeconfig()}, .context = {}, .master = {}});
  if (!config) throw std::runtime_error(config.status().ToString());
  auto transport = NewHttpTransport(*config, SystemRuntime());
  if (!transport) throw std::runtime_error(transport.status().ToString());
  return Client(std::shared_ptr<Transport>(*std::move(transport)), SystemRuntime(),
                ClientOptions{.qps = 0, .user_agent = "capstan-bench"});
}

}  // namespace capstan::bench
