#include "pages/why_page.h"

#include <capstan/testing/simulated_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <capstan/api/raw_json.h>

namespace capstan::manager {
namespace {

using ::testing::HasSubstr;

ExplainedObject ObjectOf(const std::string& name, Explanation::State state, int64_t seconds_ago) {
  ExplainedObject object{.kind = "Deployment",
                         .name = {"shop", name},
                         .explanation = {.state = state, .reason = "Because", .message = "So."}};
  if (seconds_ago > 0) {
    object.explanation.since = api::Time::FromSeconds(1'800'000'000 - seconds_ago);
  }
  return object;
}

class WhyPage : public ::testing::Test {
 protected:
  WhyPage() {
    AddWhyPage(mux_, runtime_.clock(),
               {.explain = [this](std::string_view kind,
                                  const NamespacedName& name) -> Result<ExplainedObject> {
                  asked_ = std::string(kind) + " " + name.ToString();
                  if (inside_) inside_();
                  if (!status_.ok()) return status_;
                  return ObjectOf(name.name, Explanation::State::kBlocked, 10);
                },
                .unsettled = [this]() -> Result<std::vector<ExplainedObject>> {
                  if (!status_.ok()) return status_;
                  return objects_;
                }});
  }
  http::ServerResponse Get(const std::string& target) {
    return mux_.Serve(http::ParseTarget("GET", target).value());
  }

  testing::SimulatedRuntime runtime_;
  http::Mux mux_;
  std::string asked_;
  std::vector<ExplainedObject> objects_;
  Status status_;
  std::function<void()> inside_;
};

TEST_F(WhyPage, ListsBlockedAndOldestObjectsFirst) {
  objects_ = {ObjectOf("a", Explanation::State::kWaiting, 900),
              ObjectOf("b", Explanation::State::kBlocked, 0),
              ObjectOf("d", Explanation::State::kBlocked, 5),
              ObjectOf("c", Explanation::State::kBlocked, 50),
              ObjectOf("e", Explanation::State::kBlocked, 5)};
  EXPECT_EQ(Get("/whyz").body,
            "4 blocked, 1 waiting\n"
            "\ndeployment/c in shop is blocked: Because, for 50s (since 2027-01-15T07:59:10Z)\n"
            "  So.\n"
            "\ndeployment/d in shop is blocked: Because, for 5s (since 2027-01-15T07:59:55Z)\n"
            "  So.\n"
            "\ndeployment/e in shop is blocked: Because, for 5s (since 2027-01-15T07:59:55Z)\n"
            "  So.\n"
            "\ndeployment/b in shop is blocked: Because\n"
            "  So.\n"
            "\ndeployment/a in shop is waiting: Because, for 15m (since 2027-01-15T07:45:00Z)\n"
            "  So.\n");
  EXPECT_EQ(Get("/whyz").content_type, "text/plain; charset=utf-8");
}

TEST_F(WhyPage, SaysWhenNothingIsBlockedOrWaiting) {
  EXPECT_EQ(Get("/whyz").body, "nothing is blocked or waiting\n");
  EXPECT_EQ(Get("/whyz?format=json").body, "{\"blocked\":0,\"waiting\":0,\"items\":[]}\n");
}

TEST_F(WhyPage, AnswersInJsonOnRequest) {
  objects_ = {ObjectOf("a", Explanation::State::kWaiting, 900),
              ObjectOf("b", Explanation::State::kBlocked, 0)};
  const http::ServerResponse response = Get("/whyz?format=json");
  EXPECT_EQ(response.content_type, "application/json");
  const auto json = RawJson::Parse(response.body);
  ASSERT_TRUE(json.ok()) << json.status().message();
  EXPECT_EQ(json->At("/blocked").text(), "1");
  EXPECT_EQ(json->StringAt("/items/0/name"), "b");
  EXPECT_EQ(json->StringAt("/items/1/name"), "a");
}

TEST_F(WhyPage, LimitsTheNumberOfListedObjects) {
  for (int i = 0; i < 130; ++i) {
    objects_.push_back(ObjectOf("web-" + std::to_string(i), Explanation::State::kBlocked, 10));
  }
  const std::string text = Get("/whyz").body;
  EXPECT_THAT(text, HasSubstr("130 blocked, 0 waiting\n"));
  EXPECT_THAT(text, HasSubstr("\nand 30 more\n"));
  const auto json = RawJson::Parse(Get("/whyz?format=json").body).value();
  EXPECT_FALSE(json.At("/items/99").empty());
  EXPECT_TRUE(json.At("/items/100").empty());
}

TEST_F(WhyPage, ExplainsASingleObject) {
  EXPECT_EQ(Get("/whyz?for=deployment/shop/web").body,
            "deployment/web in shop is blocked: Because, for 10s (since 2027-01-15T07:59:50Z)\n"
            "  So.\n");
  EXPECT_EQ(asked_, "deployment shop/web");
  EXPECT_EQ(RawJson::Parse(Get("/whyz?for=deployments.apps%2Fshop%2Fweb&format=json").body)
                .value()
                .StringAt("/name"),
            "web");
  EXPECT_EQ(asked_, "deployments.apps shop/web");
}

TEST_F(WhyPage, RefusesInvalidQueries) {
  for (const char* query :
       {"for=", "for", "for=web", "for=deployment/web", "for=deployment//web", "for=/shop/web",
        "for=deployment/shop/", "for=deployment/shop/a/b", "format=yaml"}) {
    EXPECT_EQ(Get(std::string("/whyz?") + query).status, 400) << query;
    EXPECT_EQ(asked_, "");
  }
}

TEST_F(WhyPage, AnswersWithTheStatusCodeOfTheFailure) {
  const std::pair<StatusReason, int> cases[] = {{StatusReason::kNotFound, 404},
                                                {StatusReason::kInvalidArgument, 400},
                                                {StatusReason::kServiceUnavailable, 503},
                                                {StatusReason::kForbidden, 500}};
  for (const auto& [reason, code] : cases) {
    status_ = Status(reason, "words");
    EXPECT_EQ(Get("/whyz?for=deployment/shop/web").status, code);
    EXPECT_THAT(Get("/whyz?for=deployment/shop/web").body, HasSubstr("words\n"));
    EXPECT_EQ(Get("/whyz").status, code);
  }
}

TEST_F(WhyPage, AnswersAtMostTwoRequestsAtOnce) {
  std::vector<int> statuses;
  int depth = 0;
  inside_ = [&] {
    if (++depth > 1) return;
    statuses.push_back(Get("/whyz").status);
    statuses.push_back(Get("/whyz?for=deployment/shop/other").status);
    depth = 0;
  };
  EXPECT_EQ(Get("/whyz?for=deployment/shop/web").status, 200);
  EXPECT_EQ(statuses, std::vector<int>({200, 200}));
  statuses.clear();
  // A third request, made while the second is being handled.
  inside_ = [&] {
    if (++depth == 1) {
      Get("/whyz?for=deployment/shop/other");
    } else {
      statuses.push_back(Get("/whyz").status);
    }
  };
  EXPECT_EQ(Get("/whyz?for=deployment/shop/web").status, 200);
  EXPECT_EQ(statuses, std::vector<int>({429}));
  EXPECT_EQ(Get("/whyz").status, 200);
}

}  // namespace
}  // namespace capstan::manager
