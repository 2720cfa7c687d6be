#include "run.h"

#include <Poco/DeflatingStream.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace capstan::vectors {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Two syncs of objects that no longer exist. In the second the reference still emits an event.
constexpr char kRight[] =
    R"({"id":1,"controller":"deployment","key":"default/web","now":"2026-11-21T02:46:54Z",)"
    R"("before":{},"after":{},"events":[]})";
constexpr char kWrong[] =
    R"({"id":2,"controller":"replicaset","key":"default/web","now":"2026-11-21T02:46:54Z",)"
    R"("before":{},"after":{},"events":["Normal A b"]})";

class RunTest : public ::testing::Test {
 protected:
  RunTest() {
    std::filesystem::create_directories(folder_);
    Write("deployment", kRight);
    Write("replicaset", kWrong);
  }
  ~RunTest() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& controller, const std::string& line) {
    std::ofstream file(folder_ / (controller + ".jsonl.gz"), std::ios::binary);
    Poco::DeflatingOutputStream packed(file, Poco::DeflatingStreamBuf::STREAM_GZIP);
    packed << line << "\n";
    packed.close();
  }
  bool RunWith(const std::string& differences) {
    const std::filesystem::path file = folder_ / "differences.txt";
    std::ofstream(file) << differences;
    differential::KnownDifferences known(file);
    out_.str("");
    return vectors::Run(options_, known, out_);
  }

  const std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) /
      (std::string("vectors-") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
  RunOptions options_{.folder = folder_};
  std::ostringstream out_;
};

TEST_F(RunTest, FailsAndReportsTheDifference) {
  EXPECT_FALSE(RunWith(""));
  EXPECT_EQ(out_.str(),
            "deployment: 1 of 1 agree\n"
            "replicaset 2: events: absent | Normal A b\n"
            "replicaset: 0 of 1 agree\n");
}

TEST_F(RunTest, RunsOnlyTheSelectedVectors) {
  options_.controller = "deployment";
  EXPECT_TRUE(RunWith("")) << out_.str();
  EXPECT_THAT(out_.str(), Not(HasSubstr("replicaset")));
  options_.id = 2;
  EXPECT_THROW(RunWith(""), std::runtime_error);
}

TEST_F(RunTest, AllowsAListedDifference) {
  EXPECT_TRUE(RunWith("replicaset 2: events: absent | *\n  It is better so.\n")) << out_.str();
  EXPECT_THAT(out_.str(), HasSubstr("replicaset: 0 of 1 agree\nreplicaset: 1 differ on purpose"));
}

TEST_F(RunTest, FailsWhenAListedDifferenceNoLongerOccurs) {
  const std::string listed =
      "replicaset 2: events: *\n  It is better so.\n"
      "deployment 1: *\n  It was better once.\n";
  EXPECT_FALSE(RunWith(listed));
  EXPECT_THAT(out_.str(), HasSubstr("this no longer occurs: deployment 1: *"));
  options_.is_own = false;
  EXPECT_TRUE(RunWith(listed)) << "others' vectors need not show it";
}

TEST_F(RunTest, EndsWithAnErrorWhenAFileIsMissing) {
  std::filesystem::remove(folder_ / "replicaset.jsonl.gz");
  EXPECT_THROW(RunWith(""), std::runtime_error);
}

}  // namespace
}  // namespace capstan::vectors
