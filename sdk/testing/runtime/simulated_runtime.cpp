#include <capstan/testing/simulated_runtime.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/fiber.h"

namespace capstan::testing {
namespace {

constexpr MonotonicTime kStartOfTime{std::chrono::seconds(1000)};
// Far above what a test needs at one instant. The limit is reached after seconds of real time.
constexpr uint64_t kMostTurnsAtAnInstant = 50'000'000;

class SimulatedClock final : public Clock {
 public:
  explicit SimulatedClock(WallTime start) : offset_(start.time_since_epoch() - Elapsed()) {}

  WallTime Now() const override { return WallTime(offset_.load() + Elapsed()); }
  MonotonicTime Monotonic() const override { return now_.load(); }

  void MoveTo(MonotonicTime time) { now_ = std::max(now_.load(), time); }
  void SetWallTime(WallTime now) { offset_ = now.time_since_epoch() - Elapsed(); }

 private:
  Duration Elapsed() const { return now_.load() - kStartOfTime; }

  std::atomic<MonotonicTime> now_{kStartOfTime};
  std::atomic<Duration> offset_;
};

}  // namespace

struct SimulatedRuntime::Impl {
  class SimulatedCondition;
  class SimulatedThread;
  struct Participant;
  // Equal times are ordered by the start of the wait.
  using Deadline = std::pair<MonotonicTime, uint64_t>;

  Impl(uint64_t seed, WallTime start);
  ~Impl();

  // Checks of the calling thread.
  void RequireThread(const char* what);
  void RequireDriver(const char* what);

  void Start(const std::shared_ptr<Participant>& participant);
  void Block(std::optional<MonotonicTime> until);
  void Wake(Participant& participant, bool timed_out);
  void Yield();
  [[noreturn]] void Finish();

  void RunUntilIdle();
  void MoveTo(MonotonicTime time);
  std::optional<MonotonicTime> NextDeadline() const;
  uint64_t Random() { return random(); }
  [[noreturn]] void Die(const std::string& why);

  void SwitchTo(Participant& next);
  Participant& Next();
  Participant& TakeRunnable();

  const std::thread::id thread = std::this_thread::get_id();
  std::mt19937_64 random;
  SimulatedClock clock;
  const std::shared_ptr<Participant> driver;
  Participant* current;
  // All threads that have not ended, except the driver.
  std::vector<std::shared_ptr<Participant>> living;
  // The thread that ended last. Its stack is in use until another one runs.
  std::shared_ptr<Participant> ended;
  std::vector<Participant*> runnable;
  std::map<Deadline, Participant*> deadlines;
  uint64_t waits = 0;
  uint64_t turns = 0;  // turns at this instant
  bool driving = false;
};

struct SimulatedRuntime::Impl::Participant {
  enum class State : uint8_t { kRunnable, kRunning, kWaiting, kEnded };

  Participant() : name("the test"), state(State::kRunning) {}
  Participant(Impl& impl, std::string name, std::function<void()> body)
      : impl(&impl), name(std::move(name)), body(std::move(body)), fiber(Run, this) {}

  static void Run(void* argument) noexcept {
    auto& self = *static_cast<Participant*>(argument);
    self.body();
    self.body = nullptr;
    self.impl->Finish();
  }

  Impl* impl = nullptr;
  std::string name;
  std::function<void()> body;
  Fiber fiber;
  State state = State::kRunnable;
  size_t place = 0;  // position in `living`
  std::optional<Deadline> deadline;
  bool timed_out = false;
  SimulatedCondition* condition = nullptr;  // the condition that it waits for
  size_t turn = 0;                          // position among the waiters of the condition
  std::vector<Participant*> joiners;
};

class SimulatedRuntime::Impl::SimulatedCondition final : public Condition {
 public:
  explicit SimulatedCondition(Impl& impl) : impl_(impl) {}

  void Wait(Mutex& mutex) override { DoWait(mutex, std::nullopt); }
  bool WaitUntil(Mutex& mutex, MonotonicTime deadline) override { return DoWait(mutex, deadline); }
  void NotifyOne() override {
    impl_.RequireThread("wakes");
    if (waiters_.empty()) return;
    Participant& waiter = *waiters_[impl_.Random() % waiters_.size()];
    Remove(waiter);
    impl_.Wake(waiter, false);
  }
  void NotifyAll() override {
    impl_.RequireThread("wakes");
    for (Participant* waiter : waiters_) {
      waiter->condition = nullptr;
      impl_.Wake(*waiter, false);
    }
    waiters_.clear();
  }

 private:
  // No other thread runs between the registration and the switch, so no wake-up can be lost. A
  // thread that timed out stays among the waiters until its turn, because a wake-up at the same
  // instant may be for it.
  bool DoWait(Mutex& mutex,
              std::optional<MonotonicTime> deadline) CAPSTAN_NO_THREAD_SAFETY_ANALYSIS {
    impl_.RequireThread("waits");
    if (deadline && *deadline <= impl_.clock.Monotonic()) return false;
    Participant& self = *impl_.current;
    self.condition = this;
    self.turn = waiters_.size();
    waiters_.push_back(&self);
    mutex.Unlock();
    impl_.Block(deadline);
    if (self.condition) Remove(self);
    if (!mutex.native().try_lock()) {
      impl_.Die("\"" + self.name +
                "\" returns from a wait while a waiting thread holds its mutex: a Mutex must not "
                "be held across a switch");
    }
    return !self.timed_out;
  }

  void Remove(Participant& waiter) {
    waiters_.back()->turn = waiter.turn;
    std::swap(waiters_[waiter.turn], waiters_.back());
    waiters_.pop_back();
    waiter.condition = nullptr;
  }

  Impl& impl_;
  std::vector<Participant*> waiters_;
};

class SimulatedRuntime::Impl::SimulatedThread final : public Thread {
 public:
  SimulatedThread(Impl& impl, std::shared_ptr<Participant> participant)
      : impl_(impl), participant_(std::move(participant)) {}
  ~SimulatedThread() override { Join(); }

  void Join() override {
    while (participant_->state != Participant::State::kEnded) {
      impl_.RequireThread("joins");
      if (impl_.current == participant_.get()) impl_.Die("a thread joins itself");
      participant_->joiners.push_back(impl_.current);
      impl_.Block(std::nullopt);
    }
  }

 private:
  Impl& impl_;
  const std::shared_ptr<Participant> participant_;
};

SimulatedRuntime::Impl::Impl(uint64_t seed, WallTime start)
    : random(seed), clock(start), driver(std::make_shared<Participant>()), current(driver.get()) {}

SimulatedRuntime::Impl::~Impl() {
  if (!living.empty()) Die("destroyed while threads still run");
}

void SimulatedRuntime::Impl::RequireThread(const char* what) {
  if (std::this_thread::get_id() == thread) return;
  // This thread must not read the state of the others.
  std::fprintf(stderr, "SimulatedRuntime: a foreign thread %s\n", what);
  std::abort();
}

void SimulatedRuntime::Impl::RequireDriver(const char* what) {
  RequireThread(what);
  if (current != driver.get()) Die(std::string(what) + ": only the driving thread may");
}

void SimulatedRuntime::Impl::Start(const std::shared_ptr<Participant>& participant) {
  RequireThread("starts a thread");
  participant->place = living.size();
  living.push_back(participant);
  runnable.push_back(participant.get());
}

void SimulatedRuntime::Impl::Block(std::optional<MonotonicTime> until) {
  Participant& self = *current;
  self.state = Participant::State::kWaiting;
  self.timed_out = false;
  if (until) {
    self.deadline = {*until, ++waits};
    deadlines.emplace(*self.deadline, &self);
  }
  SwitchTo(Next());
}

void SimulatedRuntime::Impl::Wake(Participant& participant, bool timed_out) {
  if (participant.deadline) {
    deadlines.erase(*participant.deadline);
    participant.deadline.reset();
  }
  participant.timed_out = timed_out;
  if (participant.state != Participant::State::kWaiting) return;
  participant.state = Participant::State::kRunnable;
  runnable.push_back(&participant);
}

void SimulatedRuntime::Impl::Yield() {
  RequireThread("yields");
  if (current == driver.get() || runnable.empty()) return;
  current->state = Participant::State::kRunnable;
  runnable.push_back(current);
  SwitchTo(TakeRunnable());
}

void SimulatedRuntime::Impl::Finish() {
  Participant& self = *current;
  self.state = Participant::State::kEnded;
  for (Participant* joiner : self.joiners) Wake(*joiner, false);
  self.joiners.clear();
  living.back()->place = self.place;
  ended = std::exchange(living[self.place], std::move(living.back()));
  living.pop_back();
  Participant& next = Next();
  next.state = Participant::State::kRunning;
  current = &next;
  self.fiber.FinishInto(next.fiber);
}

void SimulatedRuntime::Impl::SwitchTo(Participant& next) {
  Participant& self = *current;
  next.state = Participant::State::kRunning;
  if (&next == &self) return;
  current = &next;
  self.fiber.SwitchTo(next.fiber);
}

SimulatedRuntime::Impl::Participant& SimulatedRuntime::Impl::Next() {
  while (runnable.empty()) {
    if (driving) return *driver;
    // The test itself waits, so time can advance for it.
    const auto next = NextDeadline();
    if (!next) Die("deadlock: every thread waits and nothing can wake one");
    MoveTo(*next);
  }
  return TakeRunnable();
}

SimulatedRuntime::Impl::Participant& SimulatedRuntime::Impl::TakeRunnable() {
  if (++turns > kMostTurnsAtAnInstant) Die("the threads never become idle");
  Participant*& chosen = runnable[random() % runnable.size()];
  Participant* taken = std::exchange(chosen, runnable.back());
  runnable.pop_back();
  return *taken;
}

std::optional<MonotonicTime> SimulatedRuntime::Impl::NextDeadline() const {
  if (deadlines.empty()) return std::nullopt;
  return deadlines.begin()->first.first;
}

void SimulatedRuntime::Impl::MoveTo(MonotonicTime time) {
  turns = 0;
  clock.MoveTo(time);
  while (!deadlines.empty() && deadlines.begin()->first.first <= time) {
    Wake(*deadlines.begin()->second, true);
  }
}

void SimulatedRuntime::Impl::RunUntilIdle() {
  turns = 0;
  if (runnable.empty()) return;
  driving = true;
  driver->state = Participant::State::kWaiting;
  SwitchTo(Next());
  driving = false;
}

void SimulatedRuntime::Impl::Die(const std::string& why) {
  std::fprintf(stderr, "SimulatedRuntime: %s; threads:\n", why.c_str());
  const auto print = [](const Participant& participant) {
    constexpr const char* kStates[] = {"runnable", "running", "waiting", "ended"};
    std::fprintf(stderr, "  %s: %s\n", participant.name.c_str(),
                 kStates[static_cast<size_t>(participant.state)]);
  };
  print(*driver);
  for (const auto& participant : living) print(*participant);
  std::abort();
}

SimulatedRuntime::SimulatedRuntime(uint64_t seed, WallTime start)
    : impl_(std::make_unique<Impl>(seed, start)) {}

SimulatedRuntime::~SimulatedRuntime() = default;

const Clock& SimulatedRuntime::clock() const { return impl_->clock; }

std::unique_ptr<Thread> SimulatedRuntime::Start(std::string name, std::function<void()> body) {
  auto participant = std::make_shared<Impl::Participant>(*impl_, std::move(name), std::move(body));
  impl_->Start(participant);
  return std::make_unique<Impl::SimulatedThread>(*impl_, std::move(participant));
}

std::unique_ptr<Condition> SimulatedRuntime::NewCondition() {
  return std::make_unique<Impl::SimulatedCondition>(*impl_);
}

uint64_t SimulatedRuntime::Random() {
  impl_->RequireThread("asks for a random number");
  return impl_->Random();
}

void SimulatedRuntime::Yield() { impl_->Yield(); }

void SimulatedRuntime::RunUntilIdle() {
  impl_->RequireDriver("RunUntilIdle");
  impl_->RunUntilIdle();
}

void SimulatedRuntime::AdvanceBy(Duration duration) {
  impl_->RequireDriver("AdvanceBy");
  const MonotonicTime target = Now() + duration;
  while (true) {
    impl_->RunUntilIdle();
    const auto next = impl_->NextDeadline();
    if (!next || *next > target) break;
    impl_->MoveTo(*next);
  }
  impl_->MoveTo(target);
  impl_->RunUntilIdle();
}

bool SimulatedRuntime::AdvanceToNextDeadline() {
  impl_->RequireDriver("AdvanceToNextDeadline");
  impl_->RunUntilIdle();
  const auto next = impl_->NextDeadline();
  if (!next) return false;
  impl_->MoveTo(*next);
  impl_->RunUntilIdle();
  return true;
}

bool SimulatedRuntime::RunUntil(const std::function<bool()>& done, Duration limit) {
  impl_->RequireDriver("RunUntil");
  const MonotonicTime end = Now() + limit;
  while (true) {
    impl_->RunUntilIdle();
    if (done()) return true;
    const auto next = impl_->NextDeadline();
    if (!next || *next > end) {
      impl_->MoveTo(end);
      return done();
    }
    impl_->MoveTo(*next);
  }
}

void SimulatedRuntime::SetWallTime(WallTime now) { impl_->clock.SetWallTime(now); }

}  // namespace capstan::testing
