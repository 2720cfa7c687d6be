// capstan-differential: the embedded API server against a real kube-apiserver.

#include <capstan/client/rest_config.h>
#include <capstan/runtime/runtime.h>
#include <capstan/testing/api_server.h>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "e2e/api_server.h"
#include "known_differences.h"
#include "run.h"
#include "side.h"
#include "support/paths.h"

namespace capstan::differential {
namespace {

constexpr char kUsage[] =
    "usage: capstan-differential [--calls N] [--seed S] [--shown N] [--known FILE] [--self]\n"
    "  --calls N   number of calls (3000)\n"
    "  --seed S    seed of the random calls (1)\n"
    "  --shown N   differences to print in full (40)\n"
    "  --known FILE  the list of accepted differences\n"
    "  --self      compare two real servers, to test the comparison itself\n";

struct Arguments {
  RunOptions run;
  std::string known = tests::TestFolder().string() + "/differential/known_differences.txt";
  bool self = false;
};

Arguments ParseArguments(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--self") {
      arguments.self = true;
      continue;
    }
    if (i + 1 == argc) throw std::invalid_argument(std::string(name) + " needs a value");
    if (name == "--known") {
      arguments.known = argv[++i];
      continue;
    }
    const uint64_t number = std::stoull(argv[++i]);
    if (name == "--calls") {
      arguments.run.calls = static_cast<int>(number);
    } else if (name == "--seed") {
      arguments.run.seed = number;
    } else if (name == "--shown") {
      arguments.run.shown = static_cast<int>(number);
    } else {
      throw std::invalid_argument("unknown option " + std::string(name));
    }
  }
  return arguments;
}

std::shared_ptr<Transport> TransportTo(const e2e::ApiServer& server) {
  KubeconfigOptions options;
  options.paths = {server.kubeconfig().string()};
  auto config = LoadKubeconfig(options);
  if (!config.ok()) throw std::runtime_error(config.status().ToString());
  auto transport = NewHttpTransport(*config, SystemRuntime());
  if (!transport.ok()) throw std::runtime_error(transport.status().ToString());
  return *std::move(transport);
}

bool Compare(const Arguments& arguments) {
  KnownDifferences known(arguments.known);
  const std::unique_ptr<e2e::ApiServer> real = e2e::NewKubeApiServer();
  Side left("kube-apiserver", TransportTo(*real));
  if (arguments.self) {
    const std::unique_ptr<e2e::ApiServer> other = e2e::NewKubeApiServer();
    Side right("another", TransportTo(*other));
    return Run(left, right, known, arguments.run).Execute();
  }
  testing::ApiServerOptions options;
  options.garbage_collection = false;  // no controller runs next to the real server
  testing::ApiServer embedded(SystemRuntime(), options);
  // The user of e2e::NewKubeApiServer: a CertificateSigningRequest records it.
  Side right("embedded",
             embedded.NewTransport({"admin", "admin", {"system:masters", "system:authenticated"}}));
  return Run(left, right, known, arguments.run).Execute();
}

}  // namespace
}  // namespace capstan::differential

int main(int argc, char** argv) {
  try {
    return capstan::differential::Compare(capstan::differential::ParseArguments(argc, argv)) ? 0
                                                                                             : 1;
  } catch (const std::invalid_argument& error) {
    std::cerr << "capstan-differential: " << error.what() << "\n" << capstan::differential::kUsage;
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "capstan-differential: " << error.what() << "\n";
    return 2;
  }
}
