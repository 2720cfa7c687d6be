#include "log/vmodule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <capstan/log/log.h>

namespace capstan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

int VerbosityOf(std::string_view text, std::string_view file) {
  const auto parsed = log::VModule::Parse(text);
  EXPECT_TRUE(parsed.ok()) << parsed.status().ToString();
  return parsed ? parsed->VerbosityOf(file) : -1;
}

TEST(VModule, MatchesTheFileNameWithoutFolderAndExtension) {
  EXPECT_EQ(VerbosityOf("work_queue=4", "sdk/src/queue/work_queue.cpp"), 4);
  EXPECT_EQ(VerbosityOf("work_queue=4", "work_queue.h"), 4);
  EXPECT_EQ(VerbosityOf("queue=4", "sdk/src/queue/work_queue.cpp"), 0);
  EXPECT_EQ(VerbosityOf("a.b=2", "x/a.b.cpp"), 2);
}

TEST(VModule, SupportsGlobs) {
  EXPECT_EQ(VerbosityOf("*queue=4", "sdk/src/queue/work_queue.cpp"), 4);
  EXPECT_EQ(VerbosityOf("client_?hared=3", "client_shared.cpp"), 3);
  EXPECT_EQ(VerbosityOf("[a-c]lient=3", "client.cpp"), 3);
  EXPECT_EQ(VerbosityOf("[a-b]lient=3", "client.cpp"), 0);
}

TEST(VModule, UsesTheFirstMatchingPattern) {
  EXPECT_EQ(VerbosityOf("client=2,c*=5", "client.cpp"), 2);
  EXPECT_EQ(VerbosityOf("client=2,c*=5", "controller.cpp"), 5);
}

TEST(VModule, ErrorsNameTheEntry) {
  for (const std::string entry : {"x", "=3", "x=", "x=y", "x=-1", "x=1.5", "a/b=1", "a=b=1"}) {
    const Status status = CheckVModule("good=1," + entry + ",other=2");
    EXPECT_TRUE(status.reason() == StatusReason::kInvalidArgument) << entry;
    EXPECT_THAT(status.message(), HasSubstr("\"" + entry + "\""));
  }
  EXPECT_TRUE(CheckVModule("").ok());
  EXPECT_TRUE(CheckVModule("a=1,,b*=2,").ok());
}

class VModuleLines : public ::testing::Test, public LogSink {
 protected:
  VModuleLines() { SetLogSink(this); }
  ~VModuleLines() override {
    SetLogSink(nullptr);
    ConfigureLogging({});
  }
  void Write(std::string_view line) override {
    lines.emplace_back(line.substr(line.find("] ") + 2));
  }
  std::vector<std::string> lines;
};

TEST_F(VModuleLines, APatternRaisesTheVerbosityOfAFile) {
  ConfigureLogging({.verbosity = 1, .vmodule = "other=9,vmodule_test=3"});
  LogV(3, "three");
  LogV(4, "four");
  LogV(3, "elsewhere", {}, {"sdk/src/a/file.cpp", 1});
  LogV(1, "everybody", {}, {"sdk/src/a/file.cpp", 1});
  EXPECT_THAT(lines, ElementsAre("\"three\"", "\"everybody\""));
  EXPECT_TRUE(LogEnabled(3));
  EXPECT_FALSE(LogEnabled(4));
  EXPECT_FALSE(LogEnabled(3, {"file.cpp", 1}));
}

TEST_F(VModuleLines, APatternDoesNotLowerTheVerbosityOfAFile) {
  ConfigureLogging({.verbosity = 5, .vmodule = "vmodule_test=1"});
  EXPECT_TRUE(LogEnabled(5));
}

TEST_F(VModuleLines, PatternsAreKeptWhenTheVerbosityIsSet) {
  ConfigureLogging({.vmodule = "vmodule_test=3"});
  SetLogVerbosity(7);
  EXPECT_TRUE(LogEnabled(7));
  SetLogVerbosity(0);
  EXPECT_TRUE(LogEnabled(3));
  EXPECT_FALSE(LogEnabled(4));
  ConfigureLogging({});
  EXPECT_FALSE(LogEnabled(3));
}

TEST_F(VModuleLines, InvalidPatternsAreIgnored) {
  ConfigureLogging({.vmodule = "nonsense,vmodule_test=3"});
  EXPECT_TRUE(LogEnabled(3));
  ConfigureLogging({.vmodule = "nonsense"});
  EXPECT_FALSE(LogEnabled(1));
  EXPECT_THAT(lines, IsEmpty());
}

}  // namespace
}  // namespace capstan
