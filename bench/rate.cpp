// Measures how long a client takes for many requests with a fixed rate and with a rate that adapts
// to the server. It runs in virtual time, against servers with limited capacity.
//
//   rate [requests] [workers] [highest rate]

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include <capstan/client/client.h>
#include <capstan/testing/simulated_runtime.h>

#include "support/model_server.h"

namespace {

using capstan::Client;
using capstan::testing::ModelServer;
using capstan::testing::ServerModel;
using Milliseconds = std::chrono::milliseconds;

constexpr double kFixedRate = 20;
constexpr int kBurst = 30;

struct Outcome {
  double seconds = 0;
  size_t refused = 0;
  double mean_latency = 0;  // milliseconds, of answered requests
};

Outcome Run(const ServerModel& model, int requests, int workers, double highest_rate) {
  capstan::testing::SimulatedRuntime runtime;
  const auto server = std::make_shared<ModelServer>(runtime, model);
  const Client client(server, runtime,
                      {.qps = kFixedRate, .burst = kBurst, .max_qps = highest_rate});
  int left = requests;  // only one simulated thread runs at a time
  const auto start = runtime.Now();
  {
    std::vector<std::unique_ptr<capstan::Thread>> threads;
    threads.reserve(static_cast<size_t>(workers));
    for (int i = 0; i < workers; ++i) {
      threads.push_back(runtime.Start("worker", [&] {
        while (left > 0) {
          --left;
          while (!client.GetPath("/version")) {
          }
        }
      }));
    }
  }  // joins
  const ModelServer::Counts counts = server->TakeCounts();
  return {std::chrono::duration<double>(runtime.Now() - start).count(), counts.refused,
          std::chrono::duration<double, std::milli>(counts.latency).count() / requests};
}

}  // namespace

int main(int argc, char** argv) {
  const int requests = argc > 1 ? std::atoi(argv[1]) : 5000;
  const int workers = argc > 2 ? std::atoi(argv[2]) : 20;
  const double highest_rate = argc > 3 ? std::atof(argv[3]) : 500;
  const std::pair<const char*, ServerModel> servers[] = {
      {"quick (5 ms)", {}},
      {"far away (80 ms)", {.latency = Milliseconds(80)}},
      {"works off 300/s", {.capacity = 300}},
      {"works off 100/s", {.capacity = 100}},
      {"works off 30/s", {.capacity = 30}},
      {"works off 100/s, queue of 10", {.capacity = 100, .queue_limit = 10}},
      {"refuses beyond 100/s", {.rate_limit = 100}},
      {"refuses beyond 10/s", {.rate_limit = 10}},
  };
  std::printf("%d requests by %d workers; %g/s fixed, or adapting up to %g/s\n", requests, workers,
              kFixedRate, highest_rate);
  std::printf("%-30s %31s %31s\n", "", "fixed", "adapting");
  std::printf("%-30s %9s %8s %12s %9s %8s %12s\n", "server", "seconds", "refused", "latency ms",
              "seconds", "refused", "latency ms");
  for (const auto& [name, model] : servers) {
    std::printf("%-30s", name);
    for (const double highest : {0.0, highest_rate}) {
      const Outcome outcome = Run(model, requests, workers, highest);
      std::printf(" %9.1f %8zu %12.1f", outcome.seconds, outcome.refused, outcome.mean_latency);
    }
    std::printf("\n");
  }
  return 0;
}
