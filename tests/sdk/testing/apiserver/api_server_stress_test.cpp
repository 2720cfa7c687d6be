// Free-threaded tests of one server. They show what the fibers of the simulated Runtime cannot,
// because these run one at a time.

#include <gmock/gmock.h>

#include <string>
#include <thread>
#include <vector>

#include <capstan/api/core_v1.h>
#include <capstan/client/client.h>
#include <capstan/testing/api_server.h>

namespace capstan::testing {
namespace {

constexpr int kWriters = 4;
constexpr int kRounds = 150;

std::string Definition(int number) {
  const std::string group = "g" + std::to_string(number) + ".example.com";
  return R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
      "metadata":{"name":"widgets.)" +
         group + R"("},"spec":{"group":")" + group + R"(","scope":"Namespaced",
      "names":{"plural":"widgets","singular":"widget","kind":"Widget"},
      "versions":[{"name":"v1","served":true,"storage":true,
                   "schema":{"openAPIV3Schema":{"type":"object"}}}]}})";
}

int Send(Transport& transport, std::string method, std::string target, std::string body = {}) {
  HttpRequest request{.method = std::move(method),
                      .target = std::move(target),
                      .headers = {{"Content-Type", "application/json"}},
                      .body = std::move(body)};
  if (request.method == "PATCH") request.headers[0].second = "application/merge-patch+json";
  auto response = transport.RoundTrip(request, {});
  if (!response) return 0;
  EXPECT_TRUE(ReadAll(**response, size_t{1} << 24).ok());
  return (*response)->status();
}

class ApiServerStress : public ::testing::Test {
 protected:
  // Patches one shared object all the time, and creates and deletes its own objects.
  void Write(int number) {
    const auto transport = server_.NewTransport();
    const std::string all = "/api/v1/namespaces/default/configmaps";
    const std::string own = "own-" + std::to_string(number);
    for (int i = 0; i < kRounds; ++i) {
      const std::string counter = R"({"data":{")" + own + R"(":")" + std::to_string(i) + R"("}})";
      EXPECT_EQ(Send(*transport, "PATCH", all + "/shared", counter), 200);
      EXPECT_EQ(Send(*transport, "POST", all, R"({"metadata":{"name":")" + own + R"("}})"), 201);
      EXPECT_EQ(Send(*transport, "GET", all + "?limit=2"), 200);
      EXPECT_EQ(Send(*transport, "DELETE", all + "/" + own), 200);
    }
  }

  // Watches the shared namespace until it has the label n=`last`. The observed versions never
  // decrease. A watch that is too slow for the compactions starts again.
  void Follow(const std::string& last) {
    WatchOptions options;
    options.field_selector = "metadata.name=shared";
    options.allow_bookmarks = false;
    const Client client(server_.NewTransport(), SystemRuntime(), ClientOptions{.qps = 0});
    int64_t newest = 0;
    while (true) {
      auto stream = client.Watch(DescriptorOf<api::core::v1::Namespace>(), "", options);
      ASSERT_TRUE(stream.ok()) << stream.status().ToString();
      while (true) {
        const auto event = (*stream)->Next();
        if (!event.ok() && event.status().IsGone()) break;
        ASSERT_TRUE(event.ok()) << event.status().ToString();
        ASSERT_TRUE(event->has_value());
        const int64_t version = std::stoll((**event).resource_version);
        EXPECT_GE(version, newest);
        newest = version;
        const auto& shared = *static_cast<const api::core::v1::Namespace*>((**event).object.get());
        if (shared.metadata.labels.Get("n") == last) return;
      }
    }
  }

  ApiServer server_{SystemRuntime()};
};

// Like a kubelet that observes the deletion timestamp.
TEST_F(ApiServerStress, APodCanBeRemovedDuringItsDeletionRequest) {
  using api::core::v1::Pod;
  const Client client(server_.NewTransport(), SystemRuntime(), ClientOptions{.qps = 0});
  auto stream = client.Watch(DescriptorOf<Pod>(), "default", {});
  ASSERT_TRUE(stream.ok()) << stream.status().ToString();
  std::thread kubelet([&] {
    for (int deleted = 0; deleted < kRounds;) {
      const auto event = (*stream)->Next();
      ASSERT_TRUE(event.ok() && event->has_value()) << event.status().ToString();
      if ((**event).type == WatchEvent::Type::kDeleted) ++deleted;
      if ((**event).type != WatchEvent::Type::kModified) continue;
      const auto& pod = *static_cast<const Pod*>((**event).object.get());
      const Status status = client.Delete<Pod>(
          api::NameOf(pod.metadata), {.uid = pod.metadata.uid, .grace_period_seconds = 0});
      EXPECT_TRUE(status.ok() || status.IsNotFound() || status.IsConflict()) << status.ToString();
    }
  });
  for (int i = 0; i < kRounds; ++i) {
    const Status created = client
                               .Create(DescriptorOf<Pod>(), "default", R"({"metadata":{"name":"p"},
        "spec":{"containers":[{"name":"c","image":"i"}]}})")
                               .status();
    EXPECT_TRUE(created.ok()) << created.ToString();
    const Status deleted = client.Delete<Pod>({"default", "p"}, {.grace_period_seconds = 0});
    EXPECT_TRUE(deleted.ok()) << deleted.ToString();
  }
  kubelet.join();
}

TEST_F(ApiServerStress, SupportsConcurrentWritersAndWatchers) {
  const auto transport = server_.NewTransport();
  ASSERT_EQ(Send(*transport, "POST", "/api/v1/namespaces/default/configmaps",
                 R"({"metadata":{"name":"shared"}})"),
            201);
  ASSERT_EQ(Send(*transport, "POST", "/api/v1/namespaces", R"({"metadata":{"name":"shared"}})"),
            201);
  std::thread watcher([this] { Follow(std::to_string(kRounds - 1)); });
  std::vector<std::thread> writers;
  for (int i = 0; i < kWriters; ++i) writers.emplace_back([this, i] { Write(i); });
  std::thread labels([&] {
    for (int i = 0; i < kRounds; ++i) {
      const std::string label = R"({"metadata":{"labels":{"n":")" + std::to_string(i) + R"("}}})";
      EXPECT_EQ(Send(*transport, "PATCH", "/api/v1/namespaces/shared", label), 200);
      server_.Compact();
    }
  });
  for (std::thread& writer : writers) writer.join();
  labels.join();
  watcher.join();

  const Client client(transport, SystemRuntime(), ClientOptions{.qps = 0});
  const auto shared = client.GetPath("/api/v1/namespaces/default/configmaps/shared");
  ASSERT_TRUE(shared.ok());
  for (int i = 0; i < kWriters; ++i) {
    EXPECT_THAT(*shared, ::testing::HasSubstr("\"own-" + std::to_string(i) + "\":\"" +
                                              std::to_string(kRounds - 1) + "\""));
  }
}

TEST_F(ApiServerStress, DefinitionsCanChangeDuringRequests) {
  constexpr int kDefinitions = 20;
  std::thread writer([this] {
    const auto transport = server_.NewTransport();
    const std::string all = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    for (int i = 0; i < kDefinitions; ++i) {
      EXPECT_EQ(Send(*transport, "POST", all, Definition(i)), 201);
      EXPECT_EQ(Send(*transport, "POST",
                     "/apis/g" + std::to_string(i) + ".example.com/v1/namespaces/default/widgets",
                     R"({"apiVersion":"g)" + std::to_string(i) +
                         R"(.example.com/v1","kind":"Widget","metadata":{"name":"w"}})"),
                201);
      EXPECT_EQ(Send(*transport, "DELETE", all + "/widgets.g" + std::to_string(i) + ".example.com"),
                200);
    }
  });
  std::thread reader([this] {
    const auto transport = server_.NewTransport();
    for (int i = 0; i < kRounds; ++i) {
      const int code = Send(*transport, "GET",
                            "/apis/g" + std::to_string(i % kDefinitions) +
                                ".example.com/v1/namespaces/default/widgets");
      EXPECT_THAT(code, ::testing::AnyOf(200, 404));
      EXPECT_EQ(Send(*transport, "GET", "/apis"), 200);
    }
  });
  writer.join();
  reader.join();
}

}  // namespace
}  // namespace capstan::testing
