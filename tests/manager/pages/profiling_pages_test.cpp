#include "pages/profiling_pages.h"

#include <capstan/testing/simulated_runtime.h>
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <capstan/metrics/metrics.h>
#include <capstan/runtime/contention.h>
#include <capstan/runtime/format.h>

#include "pages/heap_profile.h"

namespace capstan::manager {
namespace {

using capstan::testing::SimulatedRuntime;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using namespace std::chrono_literals;

struct ProfilerLog {
  std::vector<std::string> calls;
  Status start;
  Status stop;
};

class FakeProfiler : public CpuProfiler {
 public:
  explicit FakeProfiler(ProfilerLog& log) : log_(log) {}
  Status Start() override {
    log_.calls.push_back("start");
    return log_.start;
  }
  Result<std::string> Stop() override {
    log_.calls.push_back("stop");
    if (!log_.stop.ok()) return log_.stop;
    return std::string("samples");
  }

 private:
  ProfilerLog& log_;
};

class ProfilingPages : public ::testing::Test {
 protected:
  ProfilingPages() {
    AddProfilingPages(mux_, runtime_, stop_.get_token(), std::make_unique<FakeProfiler>(log_));
  }
  http::ServerResponse GetProfile(const std::string& name) const {
    return mux_.Serve(http::ParseTarget("GET", "/debug/pprof/" + name).value());
  }
  // Requests a profile on its own thread.
  std::unique_ptr<Thread> Ask(const std::string& name,
                              std::optional<http::ServerResponse>& answer) {
    auto thread = runtime_.Start("asks", [this, name, &answer] { answer = GetProfile(name); });
    runtime_.RunUntilIdle();
    return thread;
  }

  SimulatedRuntime runtime_;
  ProfilerLog log_;
  std::stop_source stop_;
  http::Mux mux_;
};

TEST_F(ProfilingPages, TakeACpuProfileForTheRequestedTime) {
  std::optional<http::ServerResponse> answer;
  const auto asker = Ask("profile?seconds=5", answer);
  EXPECT_THAT(log_.calls, ElementsAre("start"));
  runtime_.AdvanceBy(4999ms);
  EXPECT_FALSE(answer);
  runtime_.AdvanceBy(1ms);
  ASSERT_TRUE(answer);
  EXPECT_THAT(log_.calls, ElementsAre("start", "stop"));
  EXPECT_EQ(answer->body, "samples");
  EXPECT_EQ(answer->content_type, "application/octet-stream");
}

TEST_F(ProfilingPages, TakeThirtySecondsByDefault) {
  std::optional<http::ServerResponse> answer;
  const auto asker = Ask("profile", answer);
  runtime_.AdvanceBy(29s);
  EXPECT_FALSE(answer);
  runtime_.AdvanceBy(1s);
  EXPECT_TRUE(answer);
}

TEST_F(ProfilingPages, RefuseDurationsOutOfBounds) {
  for (const char* seconds : {"0", "-1", "301", "x", "", "1.5"}) {
    EXPECT_EQ(GetProfile(std::string("profile?seconds=") + seconds).status, 400) << seconds;
  }
  EXPECT_THAT(log_.calls, IsEmpty());
}

TEST_F(ProfilingPages, TakeOneCpuProfileAtATime) {
  std::optional<http::ServerResponse> first;
  const auto asker = Ask("profile?seconds=5", first);
  EXPECT_EQ(GetProfile("profile?seconds=1").status, 429);
  EXPECT_THAT(log_.calls, ElementsAre("start"));
  runtime_.AdvanceBy(5s);
  ASSERT_TRUE(first);
  std::optional<http::ServerResponse> second;
  const auto another = Ask("profile?seconds=1", second);
  runtime_.AdvanceBy(1s);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->status, 200);
}

TEST_F(ProfilingPages, AStopEndsAProfileEarly) {
  std::optional<http::ServerResponse> answer;
  const auto asker = Ask("profile?seconds=300", answer);
  stop_.request_stop();
  asker->Join();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "samples");
}

TEST_F(ProfilingPages, NameTheMissingPackage) {
  log_.start = Status(StatusReason::kNotFound, "install the library");
  const http::ServerResponse response = GetProfile("profile?seconds=1");
  EXPECT_EQ(response.status, 501);
  EXPECT_EQ(response.body, "install the library\n");
  log_.start = Status(StatusReason::kInternalError, "another one");
  EXPECT_EQ(GetProfile("profile?seconds=1").status, 500);
  EXPECT_THAT(log_.calls, ElementsAre("start", "start"));
}

TEST_F(ProfilingPages, ShowTheHeapStatisticsOfTheCLibrary) {
  const http::ServerResponse response = GetProfile("heap");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.content_type, "application/xml");
  EXPECT_THAT(response.body, HasSubstr("libjemalloc"));
  EXPECT_THAT(response.body, HasSubstr("<malloc version"));
}

TEST_F(ProfilingPages, ShowLockContentionOnlyWhenItIsRecorded) {
  EXPECT_EQ(GetProfile("mutex").status, 501);
  EXPECT_EQ(GetProfile("block").status, IsContentionProfiled() ? 200 : 501);
  EnableContentionProfile();
  EXPECT_THAT(GetProfile("block").body, StartsWith("--- contention:\n"));
}

TEST_F(ProfilingPages, ShowTheCommandLine) {
  const std::string text = GetProfile("cmdline").body;
  EXPECT_THAT(text.substr(0, text.find('\0')), HasSubstr("manager_test"));
}

TEST_F(ProfilingPages, ResolveExportedSymbols) {
  EXPECT_EQ(GetProfile("symbol").body, "num_symbols: 1\n");
  const auto address = reinterpret_cast<uintptr_t>(dlsym(RTLD_DEFAULT, "malloc_info"));
  ASSERT_NE(address, 0U);
  const http::ServerResponse response = mux_.Serve({.method = "POST",
                                                    .path = "/debug/pprof/symbol",
                                                    .query = {},
                                                    .body = Format("{:#x}+0x1+nonsense", address)});
  EXPECT_EQ(response.body, Format("num_symbols: 1\n{:#x} malloc_info\n", address));
}

TEST_F(ProfilingPages, HaveAnIndex) {
  EXPECT_THAT(GetProfile("").body, HasSubstr("/debug/pprof/heap"));
  EXPECT_EQ(GetProfile("goroutine").status, 404);
}

TEST(HeapProfileTest, ConvertsJemallocOutputToTheGperftoolsFormat) {
  EXPECT_EQ(PprofOfJemalloc("heap_v2/524288\n"
                            "  t*: 3: 1378 [0: 0]\n"
                            "  t0: 3: 1378 [0: 0]\n"
                            "@ 0x7f51 0x7f52\n"
                            "  t*: 2: 1058 [0: 0]\n"
                            "  t0: 2: 1058 [0: 0]\n"
                            "@ 0x7f53\n"
                            "  t*: 1: 320 [0: 0]\n"
                            "\n"
                            "MAPPED_LIBRARIES:\n"
                            "55fa705c1000-55fa7065a000 r--p 00000000 fe:00 1 /bin/x\n"),
            "heap profile: 3: 1378 [0: 0] @ heap_v2/524288\n"
            "2: 1058 [0: 0] @ 0x7f51 0x7f52\n"
            "1: 320 [0: 0] @ 0x7f53\n"
            "\n"
            "MAPPED_LIBRARIES:\n"
            "55fa705c1000-55fa7065a000 r--p 00000000 fe:00 1 /bin/x\n");
  EXPECT_EQ(PprofOfJemalloc(""), "\n");
}

// Uses the gperftools library if it is installed, and otherwise checks the error message.
TEST(CpuProfilerTest, ProfilesOrNamesTheMissingPackage) {
  const auto profiler = NewCpuProfiler();
  const Status started = profiler->Start();
  if (!started.ok()) {
    EXPECT_TRUE(started.IsNotFound());
    EXPECT_THAT(started.message(), HasSubstr("libgoogle-perftools4"));
    return;
  }
  EXPECT_EQ(NewCpuProfiler()->Start().reason(), StatusReason::kInternalError);
  const auto profile = profiler->Stop();
  ASSERT_TRUE(profile.ok());
  // The header: 0, 3, version 0, period in microseconds, 0.
  uint64_t header[5] = {};
  ASSERT_GE(profile->size(), sizeof(header));
  std::memcpy(header, profile->data(), sizeof(header));
  EXPECT_THAT(header, ElementsAre(0, 3, 0, 10'000, 0));
  // the mappings, which pprof needs to find symbols
  EXPECT_THAT(*profile, HasSubstr("manager_test"));
}

}  // namespace
}  // namespace capstan::manager
