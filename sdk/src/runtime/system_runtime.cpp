#include <pthread.h>
#include <sys/random.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <random>
#include <string>
#include <thread>

#include <capstan/runtime/runtime.h>

namespace capstan {
namespace {

class SystemClock final : public Clock {
 public:
  WallTime Now() const override {
    return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  }
  MonotonicTime Monotonic() const override {
    timespec now{};
    clock_gettime(CLOCK_BOOTTIME, &now);
    return MonotonicTime(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
  }
};

class SystemThread final : public Thread {
 public:
  SystemThread(const std::string& name, std::function<void()> body) : thread_(std::move(body)) {
    // The kernel keeps 15 bytes of a thread name.
    pthread_setname_np(thread_.native_handle(), name.substr(0, 15).c_str());
  }
  ~SystemThread() override { Join(); }
  void Join() override {
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::thread thread_;
};

class SystemCondition final : public Condition {
 public:
  explicit SystemCondition(const Clock& clock) : clock_(clock) {}

  void Wait(Mutex& mutex) override {
    std::unique_lock<std::mutex> lock(mutex.native(), std::adopt_lock);
    condition_.wait(lock);
    lock.release();
  }
  bool WaitUntil(Mutex& mutex, MonotonicTime deadline) override {
    const Duration left = deadline - clock_.Monotonic();
    if (left <= Duration::zero()) return false;
    std::unique_lock<std::mutex> lock(mutex.native(), std::adopt_lock);
    // At most a day: libstdc++ adds this to its own clock, and an infinite deadline would overflow
    // it.
    condition_.wait_for(lock, std::min<Duration>(left, std::chrono::hours(24)));
    lock.release();
    return clock_.Monotonic() < deadline;
  }
  void NotifyOne() override { condition_.notify_one(); }
  void NotifyAll() override { condition_.notify_all(); }

 private:
  const Clock& clock_;
  std::condition_variable condition_;
};

class SystemRuntimeImpl final : public Runtime {
 public:
  const Clock& clock() const override { return clock_; }
  std::unique_ptr<Thread> Start(std::string name, std::function<void()> body) override {
    return std::make_unique<SystemThread>(name, std::move(body));
  }
  std::unique_ptr<Condition> NewCondition() override {
    return std::make_unique<SystemCondition>(clock_);
  }
  uint64_t Random() override {
    thread_local std::mt19937_64 generator = [] {
      uint64_t seed = 0;
      if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed)) seed = std::random_device{}();
      return std::mt19937_64(seed);
    }();
    return generator();
  }

 private:
  SystemClock clock_;
};

}  // namespace

Runtime& SystemRuntime() {
  // Never destroyed: threads may still use it while the process exits.
  static Runtime* const runtime = new SystemRuntimeImpl;
  return *runtime;
}

}  // namespace capstan
