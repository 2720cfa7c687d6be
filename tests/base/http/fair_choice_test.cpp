#include "base/http/fair_choice.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace capstan::http {
namespace {

const ClientOrigin kThisMachine{.network = "127.0.0.1", .is_local = true};

ClientOrigin RemoteOrigin(const std::string& address) { return {.network = address}; }

OpenConnection OpenSince(uint64_t id, const ClientOrigin& origin, int seconds) {
  return {.id = id, .origin = origin, .since = MonotonicTime(std::chrono::seconds(seconds))};
}

TEST(ConnectionToClose, BelongsToTheNetworkWithMostConnections) {
  const std::vector<OpenConnection> open{
      OpenSince(1, RemoteOrigin("a"), 1), OpenSince(2, RemoteOrigin("b"), 5),
      OpenSince(3, RemoteOrigin("b"), 4), OpenSince(4, RemoteOrigin("b"), 6)};
  EXPECT_EQ(ConnectionToClose(open, RemoteOrigin("c")), 3);
  EXPECT_EQ(ConnectionToClose(open, RemoteOrigin("b")), 3);
}

TEST(ConnectionToClose, IsAnIdleOneBeforeTheLongestWaitingOne) {
  std::vector<OpenConnection> open{OpenSince(1, RemoteOrigin("a"), 1),
                                   OpenSince(2, RemoteOrigin("b"), 5),
                                   OpenSince(3, RemoteOrigin("c"), 4)};
  EXPECT_EQ(ConnectionToClose(open, RemoteOrigin("d")), 1);
  open[1].is_idle = true;
  EXPECT_EQ(ConnectionToClose(open, RemoteOrigin("d")), 2);
}

TEST(ConnectionToClose, IsNeverOneWithARequestInProgress) {
  std::vector<OpenConnection> open{OpenSince(1, RemoteOrigin("a"), 1),
                                   OpenSince(2, RemoteOrigin("a"), 2)};
  open[0].is_busy = true;
  EXPECT_EQ(ConnectionToClose(open, RemoteOrigin("d")), 2);
  open[1].is_busy = true;
  EXPECT_EQ(ConnectionToClose(open, RemoteOrigin("d")), std::nullopt);
}

TEST(ConnectionToClose, IsALoopbackOneOnlyForANewLoopbackConnection) {
  std::vector<OpenConnection> open{OpenSince(1, kThisMachine, 1), OpenSince(2, kThisMachine, 2)};
  EXPECT_EQ(ConnectionToClose(open, RemoteOrigin("a")), std::nullopt);
  EXPECT_EQ(ConnectionToClose(open, kThisMachine), 1);
  open.push_back(OpenSince(3, RemoteOrigin("a"), 3));
  EXPECT_EQ(ConnectionToClose(open, kThisMachine), 3);
  EXPECT_EQ(ConnectionToClose(open, RemoteOrigin("a")), 3);
}

TEST(RequestToAnswer, BelongsToTheNetworkWithFewestActiveRequests) {
  const ClientOrigin a = RemoteOrigin("a");
  const ClientOrigin b = RemoteOrigin("b");
  EXPECT_EQ(RequestToAnswer({&a, &b, &a}, {}, false), 0);
  EXPECT_EQ(RequestToAnswer({&a, &b, &a}, {{"a", 1}}, false), 1);
  EXPECT_EQ(RequestToAnswer({&a, &b, &a}, {{"a", 1}, {"b", 2}}, false), 0);
  EXPECT_EQ(RequestToAnswer({}, {}, false), std::nullopt);
}

TEST(RequestToAnswer, CanBeRestrictedToLoopback) {
  const ClientOrigin a = RemoteOrigin("a");
  EXPECT_EQ(RequestToAnswer({&a, &kThisMachine}, {{"127.0.0.1", 9}}, true), 1);
  EXPECT_EQ(RequestToAnswer({&a}, {}, true), std::nullopt);
}

}  // namespace
}  // namespace capstan::http
