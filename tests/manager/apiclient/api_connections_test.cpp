#include "apiclient/api_connections.h"

#include <gtest/gtest.h>

#include <capstan/testing/simulated_runtime.h>

namespace capstan::manager {
namespace {

class UnreachableTransport final : public Transport {
 public:
  Result<std::unique_ptr<HttpResponse>> RoundTrip(const HttpRequest& /*request*/,
                                                  std::stop_token /*stop*/) override {
    return Status(StatusReason::kTransport, "unreachable");
  }
};

class ApiConnectionsTest : public ::testing::Test {
 protected:
  ApiConnectionsTest() {
    options_.master = "https://10.0.0.1:6443";
    connections_ =
        ApiConnections::Open(options_, runtime_, [this](const RestConfig&, Runtime&) {
          ++opened_;
          return Result<std::unique_ptr<Transport>>(std::make_unique<UnreachableTransport>());
        }).value();
  }

  capstan::testing::SimulatedRuntime runtime_;
  Options options_;
  int opened_ = 0;
  std::unique_ptr<ApiConnections> connections_;
};

TEST_F(ApiConnectionsTest, TheLeaseUsesItsOwnConnection) { EXPECT_EQ(opened_, 2); }

TEST_F(ApiConnectionsTest, ReviewsWithoutAKubeconfigShareTheManagersConnection) {
  const auto reviews = connections_->ForReviews("");
  ASSERT_TRUE(reviews);
  EXPECT_EQ(reviews->host, "10.0.0.1:6443");
  EXPECT_EQ(reviews->transport, connections_->ForReviews("")->transport);
  EXPECT_EQ(opened_, 2);
}

TEST_F(ApiConnectionsTest, AMissingKubeconfigForReviewsIsAnErrorThatNamesIt) {
  const auto reviews = connections_->ForReviews("/does/not/exist");
  ASSERT_FALSE(reviews);
  EXPECT_NE(reviews.status().message().find("/does/not/exist"), std::string::npos)
      << reviews.status().message();
}

}  // namespace
}  // namespace capstan::manager
