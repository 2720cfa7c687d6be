// The small pages: /configz, /flagz, /statusz, PUT /debug/flags/v and /debug/controllers.

#include <capstan/testing/simulated_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <capstan/api/raw_json.h>
#include <capstan/log/log.h>

#include "pages/configz_page.h"
#include "pages/controllers_page.h"
#include "pages/flagz_page.h"
#include "pages/log_flags_page.h"
#include "pages/statusz_page.h"

namespace capstan::manager {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

http::ServerResponse GetPage(const http::Mux& mux, const std::string& target) {
  return mux.Serve(http::ParseTarget("GET", target).value());
}

TEST(ConfigzPage, ShowsTheConfigurationByGroup) {
  http::Mux mux;
  std::string json = R"({"a":1})";
  AddConfigzPage(mux, "capstan.dev", [&] { return json; });
  EXPECT_EQ(GetPage(mux, "/configz").body, "{\"capstan.dev\":{\"a\":1}}\n");
  EXPECT_EQ(GetPage(mux, "/configz").content_type, "application/json");
  json = R"({"a":2})";
  EXPECT_THAT(GetPage(mux, "/configz").body, HasSubstr("{\"a\":2}"));
}

TEST(FlagzPage, ListsFlagsByName) {
  http::Mux mux;
  AddFlagzPage(mux, "capstan", [] { return FlagList{{"v", "4"}, {"bind-address", "::"}}; });
  const std::string text = GetPage(mux, "/flagz").body;
  EXPECT_TRUE(text.starts_with("\ncapstan flagz\nWarning: ")) << text;
  EXPECT_TRUE(text.ends_with("\n\nbind-address=::\nv=4\n")) << text;
}

TEST(FlagzPage, RedactsSecrets) {
  EXPECT_EQ(ShownFlagValue("token", "abc"), "CENSORED");
  EXPECT_EQ(ShownFlagValue("proxy-password", "abc"), "CENSORED");
  EXPECT_EQ(ShownFlagValue("token", ""), "");
  EXPECT_EQ(ShownFlagValue("tls-private-key-file", "/a/key.pem"), "/a/key.pem");
  EXPECT_EQ(ShownFlagValue("authentication-token-webhook-cache-ttl", "10s"), "10s");
  EXPECT_EQ(ShownFlagValue("master", "https://me:secret@api:6443/x@y"), "https://***@api:6443/x@y");
  EXPECT_EQ(ShownFlagValue("master", "https://api:6443/x@y"), "https://api:6443/x@y");
}

TEST(StatuszPage, ShowsUptimeVersionRoleAndPaths) {
  capstan::testing::SimulatedRuntime runtime;
  http::Mux mux;
  std::string role = "standing by";
  AddStatuszPage(mux, runtime.clock(),
                 {.component = "capstan",
                  .build = {.version = "1.2.3",
                            .major = "1",
                            .minor = "2",
                            .compiler = "gcc 12",
                            .platform = "linux/amd64"},
                  .role = [&] { return role; }});
  mux.Handle("/metrics", [](const http::ServerRequest&) { return http::ServerResponse(); });
  runtime.AdvanceBy(25h + 3min + 9s);
  const std::string text = GetPage(mux, "/statusz").body;
  EXPECT_TRUE(text.starts_with("\ncapstan statusz\nWarning: ")) << text;
  EXPECT_THAT(text,
              AllOf(HasSubstr("\nStarted: 20"), HasSubstr("\nUp: 25 hr 03 min 09 sec\n"),
                    HasSubstr("\nBinary version: 1.2.3\n"), HasSubstr("\nRole: standing by\n"),
                    HasSubstr("\nPaths: /metrics /statusz\n")));
  role = "leading";
  EXPECT_THAT(GetPage(mux, "/statusz").body, HasSubstr("\nRole: leading\n"));
}

class LogFlagsPage : public ::testing::Test, public LogSink {
 protected:
  LogFlagsPage() {
    SetLogSink(this);
    AddLogFlagsPage(mux_);
  }
  ~LogFlagsPage() override {
    SetLogVerbosity(0);
    SetLogSink(nullptr);
  }
  void Write(std::string_view) override {}
  http::ServerResponse Put(std::string body) {
    return mux_.Serve(
        {.method = "PUT", .path = "/debug/flags/v", .query = {}, .body = std::move(body)});
  }
  http::Mux mux_;
};

TEST_F(LogFlagsPage, SetsTheVerbosity) {
  EXPECT_EQ(Put("7").body, "successfully set klog.logging.verbosity to 7");
  EXPECT_TRUE(LogEnabled(7));
  EXPECT_FALSE(LogEnabled(8));
  EXPECT_EQ(Put("0\n").status, 200);
  EXPECT_FALSE(LogEnabled(1));
}

TEST_F(LogFlagsPage, RefusesInvalidVerbosity) {
  for (const char* body : {"", "x", "-1", "1.5", "4 ", "99999999999"}) {
    EXPECT_EQ(Put(body).status, 400) << body;
  }
  EXPECT_FALSE(LogEnabled(1));
  EXPECT_EQ(GetPage(mux_, "/debug/flags/v").status, 405);
}

class ControllersPage : public ::testing::Test {
 protected:
  ControllersPage() {
    AddControllersPage(mux_,
                       {.controllers = [this] { return controllers_; },
                        .pages = [this](const std::string& plugin) -> std::optional<PluginPages> {
                          if (plugin != "web") return std::nullopt;
                          return PluginPages{.owner = owner_, .pages = pages_};
                        }});
  }
  PageFunction Says(std::string text) {
    return [this, text](const PageRequest& request) {
      owners_while_served_ = owner_.use_count() - 1;
      return PageAnswer{.body = text + "(" + request.path + ")"};
    };
  }

  std::vector<ControllerSummary> controllers_;
  std::shared_ptr<int> owner_ = std::make_shared<int>();
  long owners_while_served_ = 0;
  std::map<std::string, PageFunction> pages_;
  http::Mux mux_;
};

TEST_F(ControllersPage, ShowsTheStateOfEachController) {
  EXPECT_EQ(GetPage(mux_, "/debug/controllers").body, "there are no controllers\n");
  controllers_ = {{.name = "deployment",
                   .state = "running",
                   .queue_length = 3,
                   .workers = 5,
                   .active_workers = 2,
                   .last_error = "one\ntwo",
                   .last_error_at = WallTime(0s)},
                  {.name = "replicaset", .enabled = false, .state = "stopped"}};
  EXPECT_EQ(GetPage(mux_, "/debug/controllers").body,
            "deployment: running\n  queue 3, workers 5 (2 active)\n"
            "  last error, at 1970-01-01T00:00:00Z: one two\n"
            "replicaset: disabled, stopped\n  queue 0, workers 0 (0 active)\n");
  EXPECT_EQ(GetPage(mux_, "/debug/controllers/").body, GetPage(mux_, "/debug/controllers").body);
}

TEST_F(ControllersPage, ShowsTheStateInJson) {
  EXPECT_EQ(GetPage(mux_, "/debug/controllers?format=json").body, "{\"items\":[]}\n");
  controllers_ = {{.name = "a\"b", .state = "running", .last_error = "one\ntwo"},
                  {.name = "c", .enabled = false, .state = "stopped"}};
  const http::ServerResponse response = GetPage(mux_, "/debug/controllers?format=json");
  EXPECT_EQ(response.content_type, "application/json");
  const RawJson json = RawJson::Parse(response.body).value();
  EXPECT_EQ(json.StringAt("/items/0/name"), "a\"b");
  EXPECT_EQ(json.StringAt("/items/0/lastError"), "one\ntwo");
  EXPECT_EQ(json.At("/items/1/enabled").text(), "false");
  EXPECT_TRUE(json.At("/items/1/lastError").empty());
  EXPECT_EQ(GetPage(mux_, "/debug/controllers?format=xml").status, 400);
}

TEST_F(ControllersPage, ServesThePagesOfPlugins) {
  pages_ = {{"", Says("root")}, {"queue", Says("queue")}, {"objects/", Says("objects")}};
  const std::string root = "/debug/controllers/web";
  EXPECT_EQ(GetPage(mux_, root).body, "root()");
  EXPECT_EQ(GetPage(mux_, root + "/").body, "root()");
  EXPECT_EQ(GetPage(mux_, root + "/queue").body, "queue(queue)");
  EXPECT_EQ(GetPage(mux_, root + "/objects/a/b").body, "objects(objects/a/b)");
  EXPECT_EQ(GetPage(mux_, root + "/objects").status, 404);
  EXPECT_EQ(GetPage(mux_, root + "/other").status, 404);
  EXPECT_EQ(GetPage(mux_, "/debug/controllers/db").status, 404);
}

TEST_F(ControllersPage, KeepsTheOwnerOfAPageAliveWhileItIsServed) {
  pages_ = {{"queue", Says("queue")}};
  (void)GetPage(mux_, "/debug/controllers/web/queue");
  EXPECT_EQ(owners_while_served_, 1);
  EXPECT_EQ(owner_.use_count(), 1);
}

TEST_F(ControllersPage, PassesOnStatusContentTypeAndQuery) {
  pages_["queue"] = [](const PageRequest& request) {
    return PageAnswer{.status = 418, .content_type = "image/x", .body = request.query.at(0).second};
  };
  const http::ServerResponse response = GetPage(mux_, "/debug/controllers/web/queue?a=b");
  EXPECT_EQ(response.status, 418);
  EXPECT_EQ(response.content_type, "image/x");
  EXPECT_EQ(response.body, "b");
}

TEST_F(ControllersPage, ListsThePagesOfAPluginWithoutAnIndexPage) {
  EXPECT_EQ(GetPage(mux_, "/debug/controllers/web").body, "web has no pages\n");
  pages_ = {{"queue", Says("queue")}};
  EXPECT_EQ(GetPage(mux_, "/debug/controllers/web").body, "/debug/controllers/web/queue\n");
}

}  // namespace
}  // namespace capstan::manager
