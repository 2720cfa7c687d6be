#include <capstan/runtime/contention.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <sstream>
#include <string>
#include <thread>

#include <capstan/runtime/mutex.h>

namespace capstan {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// The number of waits in a profile.
int64_t WaitsIn(const std::string& profile) {
  std::istringstream lines(profile.substr(0, profile.find("--- Memory map")));
  int64_t sum = 0;
  for (std::string line; std::getline(lines, line);) {
    int64_t nanoseconds = 0, count = 0;
    char at = 0;
    if (std::istringstream(line) >> nanoseconds >> count >> at && at == '@') sum += count;
  }
  return sum;
}

// Another thread requests a lock while it is held. It may still be too late to wait.
void TryToContend() {
  Mutex mutex;
  std::atomic<bool> comes = false;
  mutex.Lock();
  std::thread other([&] {
    comes = true;
    const MutexLock lock(mutex);
  });
  while (!comes) std::this_thread::yield();
  for (int i = 0; i < 1'000; ++i) std::this_thread::yield();
  mutex.Unlock();
  other.join();
}

TEST(Contention, IsRecordedByStackWhenEnabled) {
  TryToContend();
  EXPECT_FALSE(IsContentionProfiled());
  EXPECT_EQ(WaitsIn(ContentionProfile()), 0);

  EnableContentionProfile();
  EXPECT_TRUE(IsContentionProfiled());
  Mutex free;
  for (int i = 0; i < 1'000; ++i) const MutexLock lock(free);
  EXPECT_EQ(WaitsIn(ContentionProfile()), 0);

  while (WaitsIn(ContentionProfile()) == 0) TryToContend();
  const std::string profile = ContentionProfile();
  EXPECT_THAT(profile, StartsWith("--- contention:\ncycles/second = 1000000000\n"));
  EXPECT_THAT(profile, HasSubstr(" @ 0x"));
  EXPECT_THAT(profile, HasSubstr("r-xp"));
}

}  // namespace
}  // namespace capstan
