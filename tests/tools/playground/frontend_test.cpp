#include "playground/frontend.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <vector>

#include <capstan/client/client.h>
#include <capstan/client/rest_config.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/io/atomic_file.h"
#include "base/io/whole_file.h"
#include "election/identity.h"
#include "playground/data_file.h"
#include "playground/kubeconfig_text.h"
#include "support/temp_folder.h"

namespace capstan::playground {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class FrontendTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_.Path(name); }

  std::unique_ptr<Frontend> Open(const Identity& identity) {
    auto frontend = Frontend::Open({.identity = identity}, server_);
    EXPECT_TRUE(frontend.ok()) << frontend.status().message();
    return frontend ? *std::move(frontend) : nullptr;
  }

  // Connects as a user with the kubeconfig of this frontend.
  std::unique_ptr<Transport> Enter(const Frontend& frontend, const Identity& identity,
                                   const std::string& token) {
    const std::string text = KubeconfigText({.server = frontend.Url(),
                                             .certificate = identity.certificate,
                                             .server_name = "localhost",
                                             .token = token});
    EXPECT_TRUE(io::WriteFileAtomically(Path("kubeconfig"), text, 0600).ok());
    KubeconfigOptions options;
    options.paths = {Path("kubeconfig")};
    auto config = LoadKubeconfig(options);
    EXPECT_TRUE(config.ok()) << config.status().message();
    auto transport = NewHttpTransport(*config, SystemRuntime());
    EXPECT_TRUE(transport.ok()) << transport.status().message();
    return *std::move(transport);
  }

  static std::pair<int, std::string> Send(Transport& transport, const HttpRequest& request) {
    auto response = transport.RoundTrip(request, {});
    if (!response) return {0, response.status().ToString()};
    auto body = ReadAll(**response, 1 << 20);
    return {(*response)->status(), body ? *body : body.status().ToString()};
  }

  static HttpRequest Reading(const std::string& target) {
    HttpRequest request;
    request.method = "GET";
    request.target = target;
    return request;
  }

  static HttpRequest Creation(const std::string& name, size_t size = 1) {
    return {.method = "POST",
            .target = "/api/v1/namespaces/default/configmaps",
            .headers = {{"Content-Type", "application/json"}},
            .body = R"({"metadata":{"name":")" + name + R"(","annotations":{"x":")" +
                    std::string(size, 'x') + R"("}}})"};
  }

  const TempFolder folder_;
  testing::ApiServer server_{SystemRuntime()};
};

TEST_F(FrontendTest, AcceptsTheToken) {
  const auto identity = LoadOrMakeIdentity("");
  ASSERT_TRUE(identity.ok()) << identity.status().message();
  const auto frontend = Open(*identity);
  const auto transport = Enter(*frontend, *identity, identity->token);
  EXPECT_THAT(frontend->Url(), StartsWith("https://127.0.0.1:"));
  EXPECT_EQ(Send(*transport, Creation("a")).first, 201);
  EXPECT_THAT(Send(*transport, Reading("/api/v1/namespaces/a")).second,
              HasSubstr("\"name\":\"a\""));
}

TEST_F(FrontendTest, RefusesRequestsWithoutTheToken) {
  const auto identity = LoadOrMakeIdentity("");
  ASSERT_TRUE(identity.ok());
  const auto frontend = Open(*identity);
  const auto transport = Enter(*frontend, *identity, "guess");
  const auto [code, body] = Send(*transport, Reading("/api/v1/namespaces"));
  EXPECT_EQ(code, 401);
  EXPECT_THAT(body, HasSubstr("\"reason\":\"Unauthorized\""));
  EXPECT_EQ(Send(*transport, Reading("/readyz")).first, 200);
}

TEST_F(FrontendTest, RefusesTooLargeBodies) {
  const auto identity = LoadOrMakeIdentity("");
  ASSERT_TRUE(identity.ok());
  const auto frontend = Open(*identity);
  const auto transport = Enter(*frontend, *identity, identity->token);
  const size_t limit = testing::ApiServerOptions{}.max_body;
  EXPECT_EQ(Send(*transport, Creation("a", limit + 1)).first, 413);
  EXPECT_EQ(Send(*transport, Creation("a")).first, 201);
}

TEST_F(FrontendTest, StreamsAWatchEventByEvent) {
  const auto identity = LoadOrMakeIdentity("");
  ASSERT_TRUE(identity.ok());
  const auto frontend = Open(*identity);
  const auto transport = Enter(*frontend, *identity, identity->token);
  HttpRequest request = Reading("/api/v1/configmaps?watch=1");
  request.timeout.reset();
  auto watch = transport->RoundTrip(request, {});
  ASSERT_TRUE(watch.ok()) << watch.status().message();
  ASSERT_EQ(Send(*transport, Creation("a")).first, 201);
  std::string events;
  char buffer[4096];
  while (events.find('\n') == std::string::npos) {
    const auto size = (*watch)->Read(buffer, sizeof(buffer));
    ASSERT_TRUE(size.ok() && *size > 0);
    events.append(buffer, *size);
  }
  EXPECT_THAT(events, HasSubstr("\"type\":\"ADDED\""));
}

TEST_F(FrontendTest, ClosesWithWatchesOpen) {
  const auto identity = LoadOrMakeIdentity("");
  ASSERT_TRUE(identity.ok());
  const auto frontend = Open(*identity);
  const auto transport = Enter(*frontend, *identity, identity->token);
  HttpRequest request = Reading("/api/v1/configmaps?watch=1");
  request.timeout.reset();
  auto watch = transport->RoundTrip(request, {});
  ASSERT_TRUE(watch.ok());
  frontend->Close();
  char buffer[64];
  const auto size = (*watch)->Read(buffer, sizeof(buffer));
  EXPECT_TRUE(!size.ok() || *size == 0);
}

TEST_F(FrontendTest, EndsAWatchWhenItsClientDisconnects) {
  const auto identity = LoadOrMakeIdentity("");
  ASSERT_TRUE(identity.ok());
  auto frontend = Frontend::Open({.identity = *identity, .max_watches = 1}, server_);
  ASSERT_TRUE(frontend.ok()) << frontend.status().message();
  const auto transport = Enter(**frontend, *identity, identity->token);
  HttpRequest request = Reading("/api/v1/configmaps?watch=1");
  request.timeout.reset();
  auto watch = transport->RoundTrip(request, {});
  ASSERT_TRUE(watch.ok()) << watch.status().message();
  EXPECT_EQ((*watch)->status(), 200);
  const auto [code, body] = Send(*transport, Reading("/api/v1/configmaps?watch=1"));
  EXPECT_EQ(code, 429);
  EXPECT_THAT(body, HasSubstr("\"reason\":\"TooManyRequests\""));
  watch->reset();
  // Only another watch shows when the server has noticed the close.
  int status = 0;
  while (status != 200) {
    auto next = transport->RoundTrip(request, {});
    ASSERT_TRUE(next.ok()) << next.status().message();
    status = (*next)->status();
    ASSERT_TRUE(status == 200 || status == 429) << status;
  }
}

TEST_F(FrontendTest, AnswersWhileManyWatchesAreOpen) {
  const auto identity = LoadOrMakeIdentity("");
  ASSERT_TRUE(identity.ok());
  const auto frontend = Open(*identity);
  const auto transport = Enter(*frontend, *identity, identity->token);
  HttpRequest request = Reading("/api/v1/configmaps?watch=1");
  request.timeout.reset();
  std::vector<std::unique_ptr<HttpResponse>> watches;
  for (int i = 0; i < 100; ++i) {
    auto watch = transport->RoundTrip(request, {});
    ASSERT_TRUE(watch.ok()) << watch.status().message();
    watches.push_back(*std::move(watch));
  }
  EXPECT_EQ(Send(*transport, Creation("a")).first, 201);
  for (const auto& watch : watches) {
    char buffer[1024];
    const auto size = watch->Read(buffer, sizeof(buffer));
    ASSERT_TRUE(size.ok()) << size.status().message();
    EXPECT_THAT(std::string(buffer, *size), HasSubstr("\"ADDED\""));
  }
}

TEST_F(FrontendTest, AWatchEndsRegularlyAtItsTimeout) {
  const auto identity = LoadOrMakeIdentity("");
  ASSERT_TRUE(identity.ok());
  const auto frontend = Open(*identity);
  const auto transport = Enter(*frontend, *identity, identity->token);
  const auto [code, body] =
      Send(*transport, Reading("/api/v1/configmaps?watch=1&timeoutSeconds=1"));
  EXPECT_EQ(code, 200);
  EXPECT_EQ(body, "");
}

TEST_F(FrontendTest, AnAddressInUseIsAnErrorThatNamesIt) {
  const auto identity = LoadOrMakeIdentity("");
  ASSERT_TRUE(identity.ok());
  const auto first = Open(*identity);
  const auto second = Frontend::Open({.port = first->port(), .identity = *identity}, server_);
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.status().message(), HasSubstr("127.0.0.1:" + std::to_string(first->port())));
}

TEST_F(FrontendTest, KeepsItsIdentityInAFile) {
  const auto first = LoadOrMakeIdentity(Path("data.pem"));
  ASSERT_TRUE(first.ok());
  const auto again = LoadOrMakeIdentity(Path("data.pem"));
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(again->certificate, first->certificate);
  EXPECT_EQ(again->token, first->token);
  struct stat status {};
  ASSERT_EQ(stat(Path("data.pem").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  ASSERT_TRUE(io::WriteFileAtomically(Path("bad.pem"), "no certificate", 0600).ok());
  const auto bad = LoadOrMakeIdentity(Path("bad.pem"));
  ASSERT_FALSE(bad.ok());
  EXPECT_THAT(bad.status().message(), HasSubstr("bad.pem"));
}

TEST_F(FrontendTest, ADataFilePersistsTheObjects) {
  {
    auto data = DataFile::Open(Path("data.json"), server_, SystemRuntime());
    ASSERT_TRUE(data.ok()) << data.status().message();
    ASSERT_EQ(Send(*server_.NewTransport(), Creation("kept")).first, 201);
    EXPECT_TRUE((*data)->SaveNow().ok());
  }
  testing::ApiServer other(SystemRuntime());
  ASSERT_TRUE(DataFile::Open(Path("data.json"), other, SystemRuntime()).ok());
  EXPECT_EQ(
      Send(*other.NewTransport(), Reading("/api/v1/namespaces/default/configmaps/kept")).first,
      200);
}

TEST_F(FrontendTest, AnInvalidDataFileIsNotOverwritten) {
  for (const char* content : {"", "{", "[]", "{\"x\":1}"}) {
    ASSERT_TRUE(io::WriteFileAtomically(Path("bad.json"), content, 0600).ok());
    const auto data = DataFile::Open(Path("bad.json"), server_, SystemRuntime());
    ASSERT_FALSE(data.ok()) << content;
    EXPECT_THAT(data.status().message(), HasSubstr("bad.json"));
    EXPECT_EQ(*io::ReadWholeFile(Path("bad.json")), content);
  }
}

}  // namespace
}  // namespace capstan::playground
