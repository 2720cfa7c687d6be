#include "pages/health.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace capstan::manager {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using namespace std::chrono_literals;

class HealthTest : public ::testing::Test, public LogSink {
 protected:
  HealthTest() {
    SetLogSink(this);
    pages_.Define("healthz", [this] {
      std::vector<HealthCheck> checks;
      if (leads_) checks.push_back({"leaderElection", [this] { return election_; }});
      return checks;
    });
    pages_.Define("readyz", [] { return std::vector<HealthCheck>(); });
    pages_.AddTo(mux_);
    pages_.AddSlisTo(mux_);
  }
  ~HealthTest() override { SetLogSink(nullptr); }
  void Write(std::string_view line) override { log_.append(line).append("\n"); }

  http::ServerResponse Get(const std::string& target) {
    return mux_.Serve(http::ParseTarget("GET", target).value());
  }

  std::string log_;
  Status election_;
  bool leads_ = true;
  Duration log_blocked_for_{};
  HealthPages pages_{[this] { return log_blocked_for_; }};
  http::Mux mux_;
};

TEST_F(HealthTest, AnswersOkWhenAllChecksPass) {
  for (const char* page : {"/healthz", "/healthz/ping", "/healthz/log", "/healthz/leaderElection",
                           "/readyz", "/readyz/log"}) {
    EXPECT_EQ(Get(page).status, 200) << page;
    EXPECT_EQ(Get(page).body, "ok") << page;
  }
  EXPECT_EQ(Get("/healthz/other").status, 404);
  EXPECT_EQ(Get("/healthz/").status, 404);
  EXPECT_EQ(Get("/readyz/leaderElection").status, 404);
  EXPECT_THAT(log_, IsEmpty());
}

TEST_F(HealthTest, VerboseListsTheChecks) {
  EXPECT_EQ(Get("/healthz?verbose").body,
            "[+]ping ok\n[+]log ok\n[+]leaderElection ok\nhealthz check passed\n");
  EXPECT_EQ(Get("/readyz?verbose").body, "[+]ping ok\n[+]log ok\nreadyz check passed\n");
}

TEST_F(HealthTest, WritesTheReasonOfAFailureToTheLogOnly) {
  election_ = Status(StatusReason::kTimeout, "the reason");
  const http::ServerResponse response = Get("/healthz");
  EXPECT_EQ(response.status, 500);
  EXPECT_EQ(response.body,
            "[+]ping ok\n[+]log ok\n[-]leaderElection failed: reason withheld\n"
            "healthz check failed\n");
  EXPECT_THAT(log_, AllOf(HasSubstr("check=\"leaderElection\""), HasSubstr("the reason")));
  EXPECT_EQ(Get("/healthz/ping").status, 200);
  EXPECT_EQ(Get("/readyz").status, 200);
}

TEST_F(HealthTest, ShowsTheReasonOfASingleCheck) {
  election_ = Status(StatusReason::kTimeout, "the reason");
  EXPECT_EQ(Get("/healthz/leaderElection").status, 500);
  EXPECT_EQ(Get("/healthz/leaderElection").body, "internal server error: the reason\n");
}

TEST_F(HealthTest, HidesTheReasonWhereItIsWithheld) {
  election_ = Status(StatusReason::kTimeout, "the reason");
  http::Mux mux;
  pages_.AddTo(mux, FailureReasons::kWithheld);
  const auto response = mux.Serve({.path = "/healthz/leaderElection", .query = {}});
  EXPECT_EQ(response.status, 500);
  EXPECT_EQ(response.body, "[-]leaderElection failed: reason withheld\n");
}

TEST_F(HealthTest, ExcludedChecksAreSkipped) {
  election_ = Status(StatusReason::kTimeout, "the reason");
  EXPECT_EQ(Get("/healthz?exclude=leaderElection").status, 200);
  EXPECT_EQ(Get("/healthz?exclude=ping&exclude=leaderElection&verbose").body,
            "[+]ping excluded: ok\n[+]log ok\n[+]leaderElection excluded: ok\n"
            "healthz check passed\n");
}

TEST_F(HealthTest, WarnsOfExclusionsThatMatchNoCheck) {
  EXPECT_EQ(Get("/healthz?exclude=b&exclude=a").body, "ok");
  EXPECT_THAT(Get("/healthz?exclude=b&exclude=a&verbose").body,
              HasSubstr("warn: some health checks cannot be excluded: no matches for "
                        "\"a\",\"b\"\nhealthz check passed\n"));
}

TEST_F(HealthTest, ChecksCanBeAddedAndRemoved) {
  election_ = Status(StatusReason::kTimeout, "the reason");
  leads_ = false;
  EXPECT_EQ(Get("/healthz").status, 200);
  EXPECT_EQ(Get("/healthz/leaderElection").status, 404);
  leads_ = true;
  EXPECT_EQ(Get("/healthz").status, 500);
}

TEST_F(HealthTest, ABlockedLogIsUnhealthyAndNotWrittenTo) {
  log_blocked_for_ = 119s;
  EXPECT_EQ(Get("/healthz").status, 200);
  log_blocked_for_ = 120s;
  EXPECT_EQ(Get("/healthz").status, 500);
  EXPECT_EQ(Get("/readyz/log").body, "internal server error: logging blocked\n");
  EXPECT_THAT(log_, IsEmpty());
}

TEST_F(HealthTest, ExportsOutcomesAsMetrics) {
  EXPECT_THAT(Get("/metrics/slis").body,
              AllOf(HasSubstr("# TYPE kubernetes_healthcheck gauge\n"),
                    HasSubstr("kubernetes_healthcheck{name=\"leaderElection\",type=\"healthz\"} 1"),
                    HasSubstr("kubernetes_healthcheck{name=\"log\",type=\"readyz\"} 1"),
                    Not(HasSubstr("process_"))));
  election_ = Status(StatusReason::kTimeout, "the reason");
  (void)Get("/healthz");
  (void)Get("/healthz/leaderElection");
  const std::string series = "{name=\"leaderElection\",status=\"";
  EXPECT_THAT(Get("/metrics/slis").body,
              AllOf(HasSubstr("kubernetes_healthcheck{name=\"leaderElection\",type=\"healthz\"} 0"),
                    HasSubstr("_total" + series + "success\",type=\"healthz\"} 1\n"),
                    HasSubstr("_total" + series + "error\",type=\"healthz\"} 3\n")));
}

TEST_F(HealthTest, ForgetsTheOutcomeOfARemovedCheck) {
  (void)Get("/healthz");
  leads_ = false;
  EXPECT_THAT(Get("/metrics/slis").body,
              AllOf(Not(HasSubstr("kubernetes_healthcheck{name=\"leaderElection\"")),
                    HasSubstr("kubernetes_healthchecks_total{name=\"leaderElection\"")));
}

}  // namespace
}  // namespace capstan::manager
