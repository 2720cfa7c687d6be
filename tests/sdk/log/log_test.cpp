#include <capstan/log/log.h>

#include <fcntl.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "base/io/unique_fd.h"

namespace capstan {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class FixedClock : public Clock {
 public:
  WallTime Now() const override {
    return WallTime(std::chrono::nanoseconds(1'795'232'507'123'456'789));
  }
  MonotonicTime Monotonic() const override { return {}; }
};

class Lines : public LogSink {
 public:
  void Write(std::string_view line) override { lines.emplace_back(line); }
  std::vector<std::string> lines;
};

class Log : public ::testing::Test {
 protected:
  Log() {
    setenv("TZ", "UTC", 1);
    tzset();
    SetLogSink(&sink);
    Use(LogFormat::kText);
  }
  ~Log() override {
    SetLogSink(nullptr);
    ConfigureLogging({});
  }
  void Use(LogFormat format, int verbosity = 0) {
    ConfigureLogging({.format = format, .verbosity = verbosity, .clock = &clock});
  }
  std::string Last() const { return sink.lines.empty() ? "" : sink.lines.back(); }
  // The last line without its header.
  std::string LastBody() const {
    const std::string line = Last();
    return line.substr(line.find("] ") + 2);
  }
  std::string TextOf(FormatArg value) {
    LogInfo("m", {{"k", value}});
    return LastBody().substr(std::string("\"m\" k=").size());
  }
  std::string JsonOf(FormatArg value) {
    LogInfo("m", {{"k", value}});
    const std::string line = Last();
    const std::string prefix = "\"v\":0,\"k\":";
    const size_t start = line.find(prefix) + prefix.size();
    return line.substr(start, line.size() - start - 1);
  }

  FixedClock clock;
  Lines sink;
};

TEST_F(Log, WritesTextLikeKlog) {
  LogInfo("Successfully acquired lease", {{"lease", "kube-system/kcm"}, {"tries", 3}},
          {"sdk/src/leader/election.cpp", 42});
  char head[64];
  std::snprintf(head, sizeof(head), "I1121 03:41:47.123456 %7d ", static_cast<int>(getpid()));
  EXPECT_EQ(Last(), head + std::string("election.cpp:42] \"Successfully acquired lease\" "
                                       "lease=\"kube-system/kcm\" tries=3"));
}

TEST_F(Log, NamesTheSourceLine) {
  LogInfo("here");
  const int line = __LINE__ - 1;
  EXPECT_THAT(Last(), HasSubstr(" log_test.cpp:" + std::to_string(line) + "] "));
}

TEST_F(Log, WritesSeverityAndTheErrorFirst) {
  LogWarning("careful");
  EXPECT_EQ(Last().front(), 'W');
  LogError(Status(StatusReason::kNotFound, "no \"web\""), "Failed", {{"n", 1}});
  EXPECT_EQ(Last().front(), 'E');
  EXPECT_EQ(LastBody(), "\"Failed\" err=\"NotFound: no \\\"web\\\"\" n=1");
  LogError(Status(), "Failed without a reason");
  EXPECT_EQ(LastBody(), "\"Failed without a reason\"");
}

TEST_F(Log, QuotesTextButNotNumbers) {
  EXPECT_EQ(TextOf("a \"b\" \\ c\td"), R"("a \"b\" \\ c\td")");
  EXPECT_EQ(TextOf(-7), "-7");
  EXPECT_EQ(TextOf(std::numeric_limits<uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(TextOf(0.25), "0.25");
  EXPECT_EQ(TextOf(true), "true");
  EXPECT_EQ(TextOf(nullptr), "<nil>");
  EXPECT_EQ(TextOf(Status(StatusReason::kGone, "old")), "\"Gone: old\"");
}

TEST_F(Log, EscapesTerminalControlSequences) {
  EXPECT_EQ(TextOf("\x1b[31mred\x07\r"), R"("\x1b[31mred\a\r")");
  EXPECT_EQ(TextOf(std::string_view("\0", 1)), R"("\x00")");
  EXPECT_EQ(TextOf("caf\xc3\xa9 \xe6\x97\xa5"), "\"caf\xc3\xa9 \xe6\x97\xa5\"");
  EXPECT_EQ(TextOf("\xe2\x80\xae"), R"("\u202e")");
  EXPECT_EQ(TextOf("\xf3\xa0\x80\x81"), R"("\U000e0001")");
  EXPECT_EQ(TextOf("bad \xff\xc3"), R"("bad \xff\xc3")");
}

TEST_F(Log, IndentsAMultilineValue) {
  EXPECT_EQ(TextOf("one\n\ttwo\n"), "<\n\tone\n\t\ttwo\n >");
  EXPECT_EQ(TextOf("one\ntwo"), "<\n\tone\n\ttwo\n >");
  EXPECT_EQ(TextOf("x\nI1121 03:41:47.000000       1 a.go:1] \"forged\"\r\x1b"),
            "<\n\tx\n\tI1121 03:41:47.000000       1 a.go:1] \"forged\"\\r\\x1b\n >");
}

TEST_F(Log, WritesOneLineForAnyMessageAndKeys) {
  LogInfo("a\nb", {{"k\ney", 1}});
  EXPECT_EQ(LastBody(), R"("a\nb" k\ney=1)");
}

TEST_F(Log, WritesJsonLikeKubernetes) {
  Use(LogFormat::kJson);
  LogInfo("Started", {{"name", "web"}, {"n", 3}, {"ok", true}, {"none", nullptr}},
          {"sdk/src/a/file.cpp", 12});
  EXPECT_EQ(Last(),
            "{\"ts\":1795232507123.456,\"caller\":\"file.cpp:12\",\"msg\":\"Started\",\"v\":0,"
            "\"name\":\"web\",\"n\":3,\"ok\":true,\"none\":null}");
  LogError(Status(StatusReason::kConflict, "changed"), "Failed", {{"n", 1}}, {"a.cpp", 1});
  EXPECT_EQ(Last(),
            "{\"ts\":1795232507123.456,\"caller\":\"a.cpp:1\",\"msg\":\"Failed\","
            "\"err\":\"Conflict: changed\",\"n\":1}");
  LogWarning("Careful", {}, {"a.cpp", 1});
  EXPECT_EQ(Last(),
            "{\"ts\":1795232507123.456,\"caller\":\"a.cpp:1\",\"msg\":\"Careful\","
            "\"level\":\"warning\",\"v\":0}");
}

TEST_F(Log, EscapesJsonAndReplacesInvalidUtf8) {
  Use(LogFormat::kJson);
  EXPECT_EQ(JsonOf("a\"b\\c\n\t\x01"), R"("a\"b\\c\n\t\u0001")");
  EXPECT_EQ(JsonOf("ok \xe6\x97\xa5"), "\"ok \xe6\x97\xa5\"");
  EXPECT_EQ(JsonOf("bad \xff\xc3(\xed\xa0\x80"),
            "\"bad \xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
  EXPECT_EQ(JsonOf("cut \xe6\x97"), "\"cut \xef\xbf\xbd\xef\xbf\xbd\"");
  EXPECT_EQ(JsonOf(std::numeric_limits<double>::infinity()), "\"inf\"");
  EXPECT_EQ(JsonOf(std::numeric_limits<double>::quiet_NaN()), "\"nan\"");
  EXPECT_EQ(JsonOf(1.5), "1.5");
}

TEST_F(Log, WritesVerboseLinesOnlyAtTheirVerbosity) {
  LogV(1, "silent");
  EXPECT_THAT(sink.lines, ElementsAre());
  EXPECT_FALSE(LogEnabled(1));
  SetLogVerbosity(4);
  EXPECT_TRUE(LogEnabled(4));
  EXPECT_FALSE(LogEnabled(5));
  Use(LogFormat::kJson, 4);
  LogV(4, "loud");
  EXPECT_THAT(Last(), EndsWith("\"msg\":\"loud\",\"v\":4}"));
}

struct Throwing {};
void AppendText(std::string&, const Throwing&) { throw std::runtime_error("no text"); }

TEST_F(Log, HandlesAValueThatThrows) {
  LogInfo("m", {{"k", Throwing{}}});
  LogInfo("after");
  EXPECT_EQ(LastBody(), "\"after\"");
}

// Redirects standard error to a pipe, and restores it.
class StandardError {
 public:
  StandardError() : saved_(dup(STDERR_FILENO)) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(pipe(ends), 0);
    output_.Reset(ends[0]);
    const io::UniqueFd input(ends[1]);
    dup2(input.get(), STDERR_FILENO);
  }
  ~StandardError() { Restore(); }
  void Restore() {
    if (!saved_.valid()) return;
    dup2(saved_.get(), STDERR_FILENO);
    saved_.Reset();
  }
  std::string ReadAll() {
    std::string text;
    char buffer[4096];
    for (ssize_t n; (n = read(output_.get(), buffer, sizeof(buffer))) > 0;) {
      text.append(buffer, static_cast<size_t>(n));
    }
    return text;
  }

 private:
  io::UniqueFd saved_;
  io::UniqueFd output_;
};

TEST_F(Log, WritesCompleteLinesToStandardErrorFromManyThreads) {
  constexpr int kThreads = 4;
  constexpr int kLines = 50;
  const std::string value(20'000, 'x');  // more than a pipe writes atomically
  SetLogSink(nullptr);
  StandardError error;
  std::vector<std::thread> writers;
  for (int i = 0; i < kThreads; ++i) {
    writers.emplace_back([&] {
      for (int n = 0; n < kLines; ++n) LogInfo("m", {{"k", value}}, {"f.cpp", 1});
    });
  }
  std::thread closer([&] {
    for (std::thread& writer : writers) writer.join();
    error.Restore();
  });
  const std::string text = error.ReadAll();
  closer.join();
  const std::string line_end = "f.cpp:1] \"m\" k=\"" + value + "\"";
  size_t lines = 0;
  for (size_t at = 0; at < text.size(); ++lines) {
    const size_t end = text.find('\n', at);
    ASSERT_NE(end, text.npos);
    ASSERT_TRUE(std::string_view(text).substr(at, end - at).ends_with(line_end));
    at = end + 1;
  }
  EXPECT_EQ(lines, kThreads * kLines);
}

TEST_F(Log, ReportsForHowLongAWriteHasBeenBlocked) {
  const std::string value(1'000'000, 'x');  // more than a pipe holds
  SetLogSink(nullptr);
  EXPECT_EQ(LogBlockedFor(), Duration::zero());
  StandardError error;
  std::thread writer([&] {
    LogInfo("m", {{"k", value}});
    error.Restore();
  });
  while (LogBlockedFor() == Duration::zero()) std::this_thread::yield();
  const Duration blocked = LogBlockedFor();
  EXPECT_GE(LogBlockedFor(), blocked);
  EXPECT_THAT(error.ReadAll(), HasSubstr(value));
  writer.join();
  EXPECT_EQ(LogBlockedFor(), Duration::zero());
}

}  // namespace
}  // namespace capstan
