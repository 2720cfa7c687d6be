#include <capstan/runtime/runtime.h>

namespace capstan {

Clock::~Clock() = default;
Thread::~Thread() = default;
Condition::~Condition() = default;
Runtime::~Runtime() = default;

void Runtime::Yield() {}

bool Runtime::SleepFor(Duration duration, const std::stop_token& stop) {
  const MonotonicTime deadline = Now() + duration;
  Mutex mutex;
  const std::unique_ptr<Condition> condition = NewCondition();
  StopWaker waker(stop, mutex, *condition);
  MutexLock lock(mutex);
  while (!stop.stop_requested()) {
    if (!condition->WaitUntil(mutex, deadline)) return !stop.stop_requested();
  }
  return false;
}

double Runtime::RandomFraction() {
  constexpr int kMantissaBits = 53;
  return static_cast<double>(Random() >> (64 - kMantissaBits)) /
         static_cast<double>(uint64_t{1} << kMantissaBits);
}

Duration Runtime::Jitter(Duration duration, double factor) {
  return duration + std::chrono::duration_cast<Duration>(std::chrono::duration<double, std::nano>(
                        static_cast<double>(duration.count()) * factor * RandomFraction()));
}

}  // namespace capstan
