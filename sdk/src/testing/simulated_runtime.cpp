#include <capstan/testing/simulated_runtime.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace capstan::testing {
namespace {

constexpr MonotonicTime kStartOfTime{std::chrono::seconds(1000)};

}  // namespace

struct SimulatedRuntime::Impl {
  struct Participant {
    Impl* owner = nullptr;
    std::string name;
    enum class State { kRunnable, kRunning, kWaiting, kFinished } state = State::kRunnable;
    std::optional<MonotonicTime> deadline;
    bool timed_out = false;
    std::condition_variable baton;
    std::vector<Participant*> joiners;
    std::thread thread;
  };

  class SimulatedClock final : public Clock {
   public:
    explicit SimulatedClock(Impl& impl) : impl_(impl) {}
    WallTime Now() const override {
      std::lock_guard lock(impl_.mutex);
      return impl_.wall_origin + (impl_.now - kStartOfTime);
    }
    MonotonicTime Monotonic() const override {
      std::lock_guard lock(impl_.mutex);
      return impl_.now;
    }

   private:
    Impl& impl_;
  };

  class SimulatedCondition final : public Condition {
   public:
    explicit SimulatedCondition(Impl& impl) : impl_(impl) {}

    void Wait(Mutex& mutex) override { DoWait(mutex, std::nullopt); }
    bool WaitUntil(Mutex& mutex, MonotonicTime deadline) override {
      return DoWait(mutex, deadline);
    }
    void NotifyOne() override {
      std::lock_guard lock(impl_.mutex);
      if (waiters_.empty()) return;
      auto chosen = std::next(waiters_.begin(),
                              static_cast<std::ptrdiff_t>(impl_.random() % waiters_.size()));
      Participant* waiter = *chosen;
      waiters_.erase(chosen);
      Wake(*waiter);
    }
    void NotifyAll() override {
      std::lock_guard lock(impl_.mutex);
      for (Participant* waiter : waiters_) Wake(*waiter);
      waiters_.clear();
    }

   private:
    // Nobody else runs between the registration and the switch, so no wake-up can be lost.
    bool DoWait(Mutex& mutex,
                std::optional<MonotonicTime> deadline) CAPSTAN_NO_THREAD_SAFETY_ANALYSIS {
      std::unique_lock lock(impl_.mutex);
      if (deadline && *deadline <= impl_.now) {
        lock.unlock();
        return false;
      }
      Participant& self = impl_.Current();
      waiters_.push_back(&self);
      mutex.Unlock();
      self.deadline = deadline;
      impl_.Block(self, lock);
      if (self.timed_out) waiters_.remove(&self);
      const bool in_time = !self.timed_out;
      lock.unlock();
      mutex.Lock();
      return in_time;
    }

    Impl& impl_;
    std::list<Participant*> waiters_;
  };

  class SimulatedThread final : public Thread {
   public:
    SimulatedThread(Impl& impl, Participant& participant)
        : impl_(impl), participant_(participant) {}
    ~SimulatedThread() override { Join(); }
    void Join() override {
      {
        std::unique_lock lock(impl_.mutex);
        while (participant_.state != Participant::State::kFinished) {
          Participant& self = impl_.Current();
          participant_.joiners.push_back(&self);
          self.deadline.reset();
          impl_.Block(self, lock);
        }
      }
      if (participant_.thread.joinable()) participant_.thread.join();
    }

   private:
    Impl& impl_;
    Participant& participant_;
  };

  Impl(uint64_t seed, WallTime start) : random(seed), wall_origin(start), clock(*this) {
    driver.owner = this;
    driver.name = "the test";
    driver.state = Participant::State::kRunning;
  }

  static void Wake(Participant& participant) {
    participant.deadline.reset();
    participant.timed_out = false;
    participant.state = Participant::State::kRunnable;
  }

  Participant& Current() {
    return tls_current && tls_current->owner == this ? *tls_current : driver;
  }

  /// Gives the baton away and returns when it is back.
  void Block(Participant& self, std::unique_lock<std::mutex>& lock) {
    self.state = Participant::State::kWaiting;
    self.timed_out = false;
    HandOn();
    AwaitBaton(self, lock);
  }

  static void AwaitBaton(Participant& self, std::unique_lock<std::mutex>& lock) {
    self.baton.wait(lock, [&] { return self.state == Participant::State::kRunning; });
  }

  void HandOn() {
    while (true) {
      std::vector<Participant*> runnable;
      ForEach([&](Participant& participant) {
        if (participant.state == Participant::State::kRunnable) runnable.push_back(&participant);
      });
      if (!runnable.empty()) return Run(*runnable[random() % runnable.size()]);
      if (driving) return Run(driver);
      // The test itself waits, so time may move on for it.
      if (const auto next = NextDeadline()) {
        MoveTo(*next);
        continue;
      }
      Die("every thread waits and nothing will ever wake one");
    }
  }

  static void Run(Participant& participant) {
    participant.state = Participant::State::kRunning;
    participant.baton.notify_one();
  }

  std::optional<MonotonicTime> NextDeadline() {
    std::optional<MonotonicTime> next;
    ForEach([&](Participant& participant) {
      if (participant.state != Participant::State::kWaiting || !participant.deadline) return;
      if (!next || *participant.deadline < *next) next = participant.deadline;
    });
    return next;
  }

  void MoveTo(MonotonicTime time) {
    now = std::max(now, time);
    ForEach([&](Participant& participant) {
      if (participant.state != Participant::State::kWaiting || !participant.deadline) return;
      if (*participant.deadline > now) return;
      Wake(participant);
      participant.timed_out = true;
    });
  }

  void RunUntilIdle(std::unique_lock<std::mutex>& lock) {
    const bool any = [&] {
      bool found = false;
      ForEach([&](Participant& p) { found |= p.state == Participant::State::kRunnable; });
      return found;
    }();
    if (!any) return;
    driving = true;
    driver.state = Participant::State::kWaiting;
    driver.deadline.reset();
    HandOn();
    AwaitBaton(driver, lock);
    driving = false;
  }

  template <class F>
  void ForEach(F&& f) {
    f(driver);
    for (Participant& participant : participants) f(participant);
  }

  [[noreturn]] void Die(const char* why) {
    std::fprintf(stderr, "SimulatedRuntime: %s; threads:\n", why);
    ForEach([](Participant& participant) {
      if (participant.state == Participant::State::kFinished) return;
      std::fprintf(stderr, "  %s: %s\n", participant.name.c_str(),
                   participant.state == Participant::State::kWaiting ? "waiting" : "runnable");
    });
    std::abort();
  }

  static thread_local Participant* tls_current;

  std::mutex mutex;
  std::mt19937_64 random;
  MonotonicTime now = kStartOfTime;
  WallTime wall_origin;
  SimulatedClock clock;
  Participant driver;
  std::list<Participant> participants;
  bool driving = false;
};

thread_local SimulatedRuntime::Impl::Participant* SimulatedRuntime::Impl::tls_current = nullptr;

SimulatedRuntime::SimulatedRuntime(uint64_t seed, WallTime start)
    : impl_(std::make_unique<Impl>(seed, start)) {}

SimulatedRuntime::~SimulatedRuntime() {
  std::unique_lock lock(impl_->mutex);
  for (Impl::Participant& participant : impl_->participants) {
    if (participant.state != Impl::Participant::State::kFinished) {
      impl_->Die("destroyed while threads still run");
    }
  }
}

const Clock& SimulatedRuntime::clock() const { return impl_->clock; }

std::unique_ptr<Thread> SimulatedRuntime::Start(std::string name, std::function<void()> body) {
  std::lock_guard lock(impl_->mutex);
  Impl::Participant& participant = impl_->participants.emplace_back();
  participant.owner = impl_.get();
  participant.name = std::move(name);
  participant.thread =
      std::thread([&participant, impl = impl_.get(), body = std::move(body)]() mutable {
        Impl::tls_current = &participant;
        {
          std::unique_lock start(impl->mutex);
          Impl::AwaitBaton(participant, start);
        }
        body();
        body = nullptr;
        std::lock_guard finish(impl->mutex);
        participant.state = Impl::Participant::State::kFinished;
        for (Impl::Participant* joiner : participant.joiners) Impl::Wake(*joiner);
        participant.joiners.clear();
        impl->HandOn();
      });
  return std::make_unique<Impl::SimulatedThread>(*impl_, participant);
}

std::unique_ptr<Condition> SimulatedRuntime::NewCondition() {
  return std::make_unique<Impl::SimulatedCondition>(*impl_);
}

uint64_t SimulatedRuntime::Random() {
  std::lock_guard lock(impl_->mutex);
  return impl_->random();
}

void SimulatedRuntime::RunUntilIdle() {
  std::unique_lock lock(impl_->mutex);
  impl_->RunUntilIdle(lock);
}

void SimulatedRuntime::AdvanceBy(Duration duration) {
  std::unique_lock lock(impl_->mutex);
  const MonotonicTime target = impl_->now + duration;
  while (true) {
    impl_->RunUntilIdle(lock);
    const auto next = impl_->NextDeadline();
    if (!next || *next > target) break;
    impl_->MoveTo(*next);
  }
  impl_->MoveTo(target);
  impl_->RunUntilIdle(lock);
}

bool SimulatedRuntime::AdvanceToNextDeadline() {
  std::unique_lock lock(impl_->mutex);
  impl_->RunUntilIdle(lock);
  const auto next = impl_->NextDeadline();
  if (!next) return false;
  impl_->MoveTo(*next);
  impl_->RunUntilIdle(lock);
  return true;
}

bool SimulatedRuntime::RunUntil(const std::function<bool()>& done, Duration limit) {
  const MonotonicTime end = Now() + limit;
  while (true) {
    RunUntilIdle();
    if (done()) return true;
    std::unique_lock lock(impl_->mutex);
    const auto next = impl_->NextDeadline();
    if (!next || *next > end) {
      impl_->MoveTo(end);
      lock.unlock();
      return done();
    }
    impl_->MoveTo(*next);
  }
}

void SimulatedRuntime::SetWallTime(WallTime now) {
  std::lock_guard lock(impl_->mutex);
  impl_->wall_origin = now - (impl_->now - kStartOfTime);
}

}  // namespace capstan::testing
