// Requests that end before the response: cancelled by the caller, or timed out.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include <capstan/client/rest_config.h>
#include <capstan/runtime/runtime.h>

#include "http_transport_server.h"

namespace capstan {
namespace {

using ::testing::HasSubstr;

constexpr Duration kShort = std::chrono::milliseconds(50);

std::unique_ptr<Transport> TransportTo(const std::string& url) {
  RestConfig config;
  config.server = url;
  config.tls.insecure_skip_verify = url.starts_with("https");
  auto transport = NewHttpTransport(config, SystemRuntime());
  EXPECT_TRUE(transport) << transport.status().ToString();
  return *std::move(transport);
}

HttpRequest GetWithin(std::optional<Duration> timeout) {
  HttpRequest request;
  request.method = "GET";
  request.target = "/";
  request.timeout = timeout;
  return request;
}

// A port on which connecting never completes, because the backlog of its listener is full.
class FullListener {
 public:
  FullListener() : listener_(Socket()) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(listener_.get(), generic, size), 0);
    EXPECT_EQ(listen(listener_.get(), 0), 0);
    EXPECT_EQ(getsockname(listener_.get(), generic, &size), 0);
    port_ = ntohs(address.sin_port);
    for (io::UniqueFd& waiting : waiting_) {
      waiting = io::UniqueFd(Socket());
      [[maybe_unused]] const int result = connect(waiting.get(), generic, size);
    }
  }
  std::string Url() const { return "http://127.0.0.1:" + std::to_string(port_); }

 private:
  static int Socket() { return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }
  io::UniqueFd listener_;
  io::UniqueFd waiting_[4];
  uint16_t port_ = 0;
};

// Requests `stop` from another thread, before or during the wait of the test.
std::unique_ptr<Thread> StopSoon(std::stop_source& stop) {
  return SystemRuntime().Start("stopper", [&stop] { stop.request_stop(); });
}

TEST(HttpTransportCancel, SendsNothingForAStoppedCaller) {
  ScriptedServer server(Echo());
  std::stop_source stop;
  stop.request_stop();
  const auto response = TransportTo(server.Url())->RoundTrip(GetWithin({}), stop.get_token());
  EXPECT_TRUE(response.status().IsCanceled());
  EXPECT_EQ(server.connections(), 0);
}

TEST(HttpTransportCancel, EndsTheWaitForTheHead) {
  std::stop_source stop;
  ScriptedServer server([&](ServerConnection& connection) {
    connection.ReadRequest();
    stop.request_stop();
    connection.WaitForClose();
  });
  const auto response = TransportTo(server.Url())->RoundTrip(GetWithin({}), stop.get_token());
  EXPECT_TRUE(response.status().IsCanceled()) << response.status().ToString();
}

TEST(HttpTransportCancel, EndsTheWaitForMoreOfTheBody) {
  ScriptedServer server([](ServerConnection& connection) {
    connection.ReadRequest();
    connection.Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n");
    connection.WaitForClose();
  });
  std::stop_source stop;
  auto response = TransportTo(server.Url())->RoundTrip(GetWithin({}), stop.get_token());
  ASSERT_TRUE(response);
  char buffer[10];
  ASSERT_TRUE((*response)->Read(buffer, sizeof(buffer)));
  const auto stopper = StopSoon(stop);
  const auto count = (*response)->Read(buffer, sizeof(buffer));
  EXPECT_TRUE(count.status().IsCanceled()) << count.status().ToString();
  EXPECT_TRUE((*response)->Read(buffer, sizeof(buffer)).status().IsCanceled());
}

TEST(HttpTransportCancel, EndsTheWaitForMoreOfAnEncryptedBody) {
  const Authority authority("ca");
  std::stop_source stop;
  ScriptedServer server(
      [&](ServerConnection& connection) {
        ASSERT_TRUE(connection.Handshake());
        connection.ReadRequest();
        connection.Send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nx");
        connection.WaitForClose();
      },
      ServerTls{authority.Issue("server", {"IP:127.0.0.1"}), "", false});
  auto response = TransportTo(server.Url())->RoundTrip(GetWithin({}), stop.get_token());
  ASSERT_TRUE(response) << response.status().ToString();
  char buffer[10];
  ASSERT_TRUE((*response)->Read(buffer, sizeof(buffer)));
  const auto stopper = StopSoon(stop);
  EXPECT_TRUE((*response)->Read(buffer, sizeof(buffer)).status().IsCanceled());
}

TEST(HttpTransportCancel, EndsAStalledTlsHandshake) {
  std::stop_source stop;
  ScriptedServer server([&](ServerConnection& connection) {
    stop.request_stop();
    connection.WaitForClose();
  });
  const auto response =
      TransportTo("https://" + server.HostPort())->RoundTrip(GetWithin({}), stop.get_token());
  EXPECT_TRUE(response.status().IsCanceled()) << response.status().ToString();
}

TEST(HttpTransportCancel, EndsAStalledConnect) {
  FullListener listener;
  std::stop_source stop;
  const auto stopper = StopSoon(stop);
  const auto response = TransportTo(listener.Url())->RoundTrip(GetWithin({}), stop.get_token());
  EXPECT_TRUE(response.status().IsCanceled()) << response.status().ToString();
}

TEST(HttpTransportCancel, EndsAStalledSend) {
  std::stop_source stop;
  std::promise<void> ended;
  ScriptedServer server([&](ServerConnection&) {
    stop.request_stop();
    ended.get_future().wait();
  });
  HttpRequest request = GetWithin({});
  request.method = "POST";
  request.body = std::string(64 << 20, 'x');
  const auto response = TransportTo(server.Url())->RoundTrip(request, stop.get_token());
  EXPECT_TRUE(response.status().IsCanceled()) << response.status().ToString();
  ended.set_value();
}

// System threads with a clock that can jump, as when a machine is suspended.
class JumpingRuntime final : public Runtime {
 public:
  void Jump(Duration by) { clock_.jumped = clock_.jumped.load() + by; }

  const Clock& clock() const override { return clock_; }
  std::unique_ptr<Thread> Start(std::string name, std::function<void()> body) override {
    return SystemRuntime().Start(std::move(name), std::move(body));
  }
  std::unique_ptr<Condition> NewCondition() override { return SystemRuntime().NewCondition(); }
  uint64_t Random() override { return SystemRuntime().Random(); }

 private:
  struct JumpingClock final : Clock {
    WallTime Now() const override { return SystemRuntime().clock().Now() + jumped.load(); }
    MonotonicTime Monotonic() const override { return SystemRuntime().Now() + jumped.load(); }
    std::atomic<Duration> jumped = Duration::zero();
  };
  JumpingClock clock_;
};

HttpRequest PostBefore(MonotonicTime send_before) {
  HttpRequest request;
  request.method = "POST";
  request.target = "/";
  request.timeout.reset();
  request.send_before = send_before;
  return request;
}

void ExpectUnsent(const Status& status) {
  EXPECT_TRUE(status.IsCanceled()) << status.ToString();
  EXPECT_FALSE(status.IsAmbiguous()) << status.ToString();
}

TEST(HttpTransportSendBefore, SendsNothingAfterTheDeadline) {
  std::atomic<int> requests = 0;
  ScriptedServer server([&](ServerConnection& connection) {
    while (connection.ReadRequest()) {
      ++requests;
      connection.Answer("");
    }
  });
  const auto transport = TransportTo(server.Url());
  const MonotonicTime now = SystemRuntime().Now();
  const auto post = [&](MonotonicTime send_before) {
    return transport->RoundTrip(PostBefore(send_before), {}).status();
  };
  ExpectUnsent(post(now));
  EXPECT_TRUE(post(now + std::chrono::hours(1)).ok());
  ExpectUnsent(post(now));
  EXPECT_TRUE(post(now + std::chrono::hours(1)).ok());
  EXPECT_EQ(requests, 2);
  EXPECT_EQ(server.connections(), 1) << "the connection stays good";
}

TEST(HttpTransportSendBefore, SendsNothingWhenTheHandshakeEndsAfterTheDeadline) {
  const Authority authority("ca");
  JumpingRuntime runtime;
  std::atomic<int> requests = 0;
  ScriptedServer server(
      [&](ServerConnection& connection) {
        runtime.Jump(std::chrono::seconds(5));
        ASSERT_TRUE(connection.Handshake());
        if (connection.ReadRequest()) ++requests;
      },
      ServerTls{authority.Issue("server", {"IP:127.0.0.1"}), "", false});
  RestConfig config;
  config.server = server.Url();
  config.tls.insecure_skip_verify = true;
  {
    const auto transport = NewHttpTransport(config, runtime);
    ASSERT_TRUE(transport) << transport.status().ToString();
    const HttpRequest request = PostBefore(runtime.Now() + std::chrono::seconds(4));
    ExpectUnsent((*transport)->RoundTrip(request, {}).status());
  }
  EXPECT_EQ(requests, 0);
}

TEST(HttpTransportTimeout, CoversTheConnect) {
  FullListener listener;
  const auto response = TransportTo(listener.Url())->RoundTrip(GetWithin(kShort), {});
  EXPECT_EQ(response.status().reason(), StatusReason::kDeadlineExceeded)
      << response.status().ToString();
  EXPECT_THAT(response.status().message(), HasSubstr("not finished within 0.05s"));
}

TEST(HttpTransportTimeout, CoversTheTlsHandshake) {
  ScriptedServer server([](ServerConnection& connection) { connection.WaitForClose(); });
  const auto response =
      TransportTo("https://" + server.HostPort())->RoundTrip(GetWithin(kShort), {});
  EXPECT_EQ(response.status().reason(), StatusReason::kDeadlineExceeded);
}

TEST(HttpTransportTimeout, CoversTheHead) {
  ScriptedServer server([](ServerConnection& connection) { connection.WaitForClose(); });
  const auto response = TransportTo(server.Url())->RoundTrip(GetWithin(kShort), {});
  EXPECT_EQ(response.status().reason(), StatusReason::kDeadlineExceeded);
  EXPECT_TRUE(response.status().IsTransport());
}

TEST(HttpTransportTimeout, CoversASlowBody) {
  ScriptedServer server([](ServerConnection& connection) {
    connection.ReadRequest();
    connection.Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n");
    connection.WaitForClose();
  });
  auto response = TransportTo(server.Url())->RoundTrip(GetWithin(kShort), {});
  ASSERT_TRUE(response);
  EXPECT_EQ(ReadAll(**response, 100).status().reason(), StatusReason::kDeadlineExceeded);
}

TEST(HttpTransportTimeout, EndsAnEndlessBody) {
  ScriptedServer server([](ServerConnection& connection) {
    connection.ReadRequest();
    connection.Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    const std::string chunk = "400\r\n" + std::string(1024, 'x') + "\r\n";
    for (int i = 0; i < 100'000; ++i) connection.Send(chunk);
  });
  auto response = TransportTo(server.Url())->RoundTrip(GetWithin(kShort), {});
  ASSERT_TRUE(response);
  char buffer[512];
  Result<size_t> count = size_t{1};
  while (count && *count > 0) count = (*response)->Read(buffer, 1);
  EXPECT_EQ(count.status().reason(), StatusReason::kDeadlineExceeded);
}

}  // namespace
}  // namespace capstan
