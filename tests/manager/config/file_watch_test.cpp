#include "config/file_watch.h"

#include <filesystem>
#include <string>

#include <capstan/testing/simulated_runtime.h>
#include <gtest/gtest.h>

#include "support/temp_folder.h"

namespace capstan::manager {
namespace {

using namespace std::chrono_literals;

class FileWatchTest : public ::testing::Test {
 protected:
  FileWatchTest() {
    Write("first", "a");
    std::filesystem::create_symlink("first", Link());
  }

  std::string Link() const { return folder_.Path("config"); }
  void Write(const std::string& name, const std::string& text) { folder_.Write(name, text); }

  const TempFolder folder_;
  testing::SimulatedRuntime runtime_;
  int calls_ = 0;
};

TEST_F(FileWatchTest, CallsOnceForEachChange) {
  FileWatch watch(runtime_, Link(), 5s, [this] { ++calls_; });
  runtime_.AdvanceBy(60s);
  EXPECT_EQ(calls_, 0);
  Write("first", "b");
  runtime_.AdvanceBy(4s);
  EXPECT_EQ(calls_, 0);
  runtime_.AdvanceBy(60s);
  EXPECT_EQ(calls_, 1);
}

TEST_F(FileWatchTest, DetectsAChangedSymbolicLink) {
  Write("second", "b");
  FileWatch watch(runtime_, Link(), 5s, [this] { ++calls_; });
  std::filesystem::remove(Link());
  std::filesystem::create_symlink("second", Link());
  runtime_.AdvanceBy(5s);
  EXPECT_EQ(calls_, 1);
}

TEST_F(FileWatchTest, WaitsForATemporarilyMissingFile) {
  FileWatch watch(runtime_, Link(), 5s, [this] { ++calls_; });
  std::filesystem::remove(Link());
  runtime_.AdvanceBy(60s);
  EXPECT_EQ(calls_, 0);
  std::filesystem::create_symlink("first", Link());
  runtime_.AdvanceBy(60s);
  EXPECT_EQ(calls_, 0);
}

TEST_F(FileWatchTest, CallsAtOnceWhenTriggered) {
  FileWatch watch(runtime_, Link(), 5s, [this] { ++calls_; });
  watch.CallNow();
  runtime_.RunUntilIdle();
  EXPECT_EQ(calls_, 1);
  runtime_.AdvanceBy(60s);
  EXPECT_EQ(calls_, 1);
}

}  // namespace
}  // namespace capstan::manager
