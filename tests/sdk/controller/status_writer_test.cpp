#include <capstan/controller/status_writer.h>

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include <capstan/api/apps_v1.h>
#include <capstan/api/raw_json.h>
#include <capstan/testing/simulated_runtime.h>

#include "support/scripted_transport.h"

namespace capstan {
namespace {

using api::apps::v1::ReplicaSet;
using api::apps::v1::ReplicaSetStatus;

constexpr char kStatus[] = "/apis/apps/v1/namespaces/default/replicasets/web/status*";

// A server that knows the field, or one that drops it.
class StatusWriterTest : public ::testing::Test {
 protected:
  StatusWriterTest() {
    before_.metadata.name = "web";
    before_.metadata.namespace_ = "default";
    before_.metadata.resourceVersion = "1";
    transport_->OnEvery("PATCH", kStatus, [this](const HttpRequest& request) {
      ++writes_;
      last_body_ = RawJson::Parse(request.body).value();
      RawJson object = RawJson::Parse(ToJson(after_)).value();
      if (drops_) object = object.Without("/status/terminatingReplicas");
      return testing::JsonAnswer(200, object.text());
    });
  }
  std::shared_ptr<const ReplicaSet> Write(int32_t replicas, std::optional<int32_t> terminating) {
    after_ = before_;
    after_.status.replicas = replicas;
    after_.status.terminatingReplicas = terminating;
    auto written = writer_.Write(before_, after_);
    EXPECT_TRUE(written.ok()) << written.status().ToString();
    return written.value();
  }

  testing::SimulatedRuntime runtime_;
  std::shared_ptr<testing::ScriptedTransport> transport_ =
      std::make_shared<testing::ScriptedTransport>(runtime_);
  StatusWriter<ReplicaSet> writer_{Client(transport_, runtime_, ClientOptions{.qps = 0}),
                                   {&ReplicaSetStatus::terminatingReplicas}};
  ReplicaSet before_;
  ReplicaSet after_;
  bool drops_ = false;
  int writes_ = 0;
  RawJson last_body_;
};

TEST_F(StatusWriterTest, WritesTheDifference) {
  const auto written = Write(2, 1);
  ASSERT_NE(written, nullptr);
  EXPECT_EQ(written->status.terminatingReplicas, 1);
  EXPECT_EQ(last_body_.At("/status").text(), R"({"replicas":2,"terminatingReplicas":1})");
}

TEST_F(StatusWriterTest, WritesNothingWithoutADifference) {
  EXPECT_EQ(Write(0, std::nullopt), nullptr);
  EXPECT_EQ(writes_, 0);
}

TEST_F(StatusWriterTest, DoesNotRepeatAWriteOfAFieldThatTheServerDrops) {
  drops_ = true;
  before_ = *Write(2, 1);
  EXPECT_EQ(Write(2, 1), nullptr);
  EXPECT_EQ(Write(2, 3), nullptr);
  EXPECT_EQ(writes_, 1);
}

TEST_F(StatusWriterTest, SendsADroppedFieldWithOtherChanges) {
  drops_ = true;
  before_ = *Write(2, 1);
  Write(3, 1);
  EXPECT_EQ(last_body_.At("/status").text(), R"({"replicas":3,"terminatingReplicas":1})");
}

TEST_F(StatusWriterTest, DetectsThatTheServerNowStoresTheField) {
  drops_ = true;
  before_ = *Write(2, 1);
  drops_ = false;
  ReplicaSet learned = *Write(3, 1);
  EXPECT_EQ(learned.status.terminatingReplicas, 1);
  EXPECT_NE(Write(2, 1), nullptr) << "another object that does not have the field yet";
}

TEST_F(StatusWriterTest, WritesAChangeOfAStoredField) {
  drops_ = true;
  before_ = *Write(2, 1);
  before_.status.terminatingReplicas = 1;  // written by a server that knows it
  EXPECT_NE(Write(2, 2), nullptr);
}

TEST_F(StatusWriterTest, ReturnsErrors) {
  transport_->On("PATCH", kStatus, testing::StatusAnswer(409, "Conflict"));
  after_ = before_;
  after_.status.replicas = 1;
  EXPECT_TRUE(writer_.Write(before_, after_).status().IsConflict());
}

}  // namespace
}  // namespace capstan
