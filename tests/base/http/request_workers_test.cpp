#include "base/http/request_workers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <memory>

namespace capstan::http {
namespace {

const ClientOrigin kRemoteClient{.network = "10.0.0.1"};
const ClientOrigin kLocalClient{.network = "127.0.0.1", .is_local = true};

TEST(RequestWorkers, RunNoMoreThanTheConfiguredNumberAtOnce) {
  std::latch all_there(4);
  RequestWorkers workers(SystemRuntime(), "workers", 4, 0, [](uint64_t, const ServerResponse&) {});
  for (uint64_t id = 0; id < 4; ++id) {
    workers.Add(id, kRemoteClient, [&] {
      all_there.arrive_and_wait();
      return ServerResponse{};
    });
  }
  all_there.wait();
}

TEST(RequestWorkers, ReserveThreadsForLoopbackRequests) {
  std::latch go_on(1);
  std::latch served(1);
  std::atomic<int> remote = 0;
  {
    RequestWorkers workers(SystemRuntime(), "workers", 4, 1,
                           [](uint64_t, const ServerResponse&) {});
    for (uint64_t id = 0; id < 8; ++id) {
      workers.Add(id, kRemoteClient, [&] {
        ++remote;
        go_on.wait();
        return ServerResponse{};
      });
    }
    workers.Add(8, kLocalClient, [&] {
      served.count_down();
      return ServerResponse{};
    });
    served.wait();
    EXPECT_LE(remote, 3);
    for (uint64_t id = 0; id < 8; ++id) workers.Drop(id);
    go_on.count_down();
  }
  EXPECT_LE(remote, 3);
}

TEST(RequestWorkers, SkipDroppedWork) {
  std::latch go_on(1);
  std::latch served(1);
  bool dropped_ran = false;
  RequestWorkers workers(SystemRuntime(), "workers", 1, 0, [](uint64_t, const ServerResponse&) {});
  workers.Add(1, kRemoteClient, [&] {
    go_on.wait();
    return ServerResponse{};
  });
  workers.Add(2, kRemoteClient, [&] {
    dropped_ran = true;
    return ServerResponse{};
  });
  workers.Add(3, kRemoteClient, [&] {
    served.count_down();
    return ServerResponse{};
  });
  workers.Drop(2);
  go_on.count_down();
  served.wait();
  EXPECT_FALSE(dropped_ran);
}

}  // namespace
}  // namespace capstan::http
