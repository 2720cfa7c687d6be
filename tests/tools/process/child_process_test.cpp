#include "process/child_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

namespace capstan::tools {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

constexpr std::chrono::seconds kLimit{10};

class ChildProcessTest : public ::testing::Test {
 protected:
  ~ChildProcessTest() override { std::filesystem::remove(log_); }

  Result<ChildProcess> Shell(const std::string& script) {
    return ChildProcess::Start({"/bin/sh", "-c", script}, log_);
  }

  const std::string log_ = ::testing::TempDir() + "/child-" + std::to_string(getpid()) + ".log";
};

TEST_F(ChildProcessTest, ReportsTheExitCode) {
  auto child = Shell("exit 3");
  ASSERT_TRUE(child) << child.status().message();
  EXPECT_EQ(child->Wait(kLimit), 3);
  EXPECT_EQ(child->Wait(kLimit), 3);
  EXPECT_FALSE(child->IsRunning());
}

TEST_F(ChildProcessTest, ReportsTheSignal) {
  auto child = Shell("exec sleep 100");
  ASSERT_TRUE(child) << child.status().message();
  EXPECT_TRUE(child->IsRunning());
  child->Kill(SIGTERM);
  EXPECT_EQ(child->Wait(kLimit), 128 + SIGTERM);
}

TEST_F(ChildProcessTest, AppendsBothOutputsToItsLog) {
  for (const char* script : {"echo one; echo two >&2", "echo three"}) {
    auto child = Shell(script);
    ASSERT_TRUE(child) << child.status().message();
    EXPECT_EQ(child->Wait(kLimit), 0);
    if (std::string(script) == "echo three") {
      EXPECT_EQ(child->LogText(), "one\ntwo\nthree\n");
      EXPECT_EQ(child->LogTail(2), log_ + " ends with:\ntwo\nthree\n");
      EXPECT_THAT(child->LogTail(), EndsWith(":\none\ntwo\nthree\n"));
    }
  }
}

TEST_F(ChildProcessTest, HasEmptyStandardInput) {
  auto child = Shell("cat");
  ASSERT_TRUE(child) << child.status().message();
  EXPECT_EQ(child->Wait(kLimit), 0);
}

TEST_F(ChildProcessTest, IsKilledByItsDestructor) {
  pid_t pid = 0;
  {
    auto child = Shell("exec sleep 100");
    ASSERT_TRUE(child) << child.status().message();
    pid = child->pid();
    const ChildProcess other = *std::move(child);
    EXPECT_EQ(kill(pid, 0), 0) << "moving it ends nothing";
  }
  EXPECT_NE(kill(pid, 0), 0);
}

TEST_F(ChildProcessTest, AMissingProgramIsAnErrorThatNamesIt) {
  const auto child = ChildProcess::Start({"/no/such/program"}, log_);
  ASSERT_FALSE(child);
  EXPECT_THAT(child.status().message(), HasSubstr("/no/such/program: No such file"));
}

TEST_F(ChildProcessTest, AnUnwritableLogIsAnErrorThatNamesIt) {
  const auto child = ChildProcess::Start({"/bin/true"}, "/no/such/directory/log");
  ASSERT_FALSE(child);
  EXPECT_THAT(child.status().message(), HasSubstr("/no/such/directory/log: No such file"));
}

}  // namespace
}  // namespace capstan::tools
