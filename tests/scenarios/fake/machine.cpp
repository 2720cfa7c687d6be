#include "scenarios/fake/machine.h"

#include <algorithm>
#include <utility>

#include "client/write_term.h"

namespace capstan::scenarios {

// Who is woken while the machine is suspended goes on to wait. Its wake-up may have been meant for
// it alone, so that all are woken in the end: they ask anyway whether it was for them.
class Machine::HeldCondition final : public Condition {
 public:
  explicit HeldCondition(Machine& machine)
      : machine_(machine), number_(++machine.made_), inner_(machine.world_.NewCondition()) {
    machine_.conditions_[number_] = this;
  }
  ~HeldCondition() override { machine_.conditions_.erase(number_); }

  void Wait(Mutex& mutex) CAPSTAN_REQUIRES(mutex) override {
    inner_->Wait(mutex);
    while (machine_.suspended_) inner_->Wait(mutex);
  }
  bool WaitUntil(Mutex& mutex, MonotonicTime deadline) CAPSTAN_REQUIRES(mutex) override {
    const bool in_time = inner_->WaitUntil(mutex, deadline);
    while (machine_.suspended_) inner_->Wait(mutex);
    return in_time && machine_.Now() < deadline;
  }
  void NotifyOne() override { inner_->NotifyOne(); }
  void NotifyAll() override { inner_->NotifyAll(); }

 private:
  Machine& machine_;
  const uint64_t number_;
  const std::unique_ptr<Condition> inner_;
};

class Machine::Network final : public Transport {
 public:
  Network(Machine& machine, std::shared_ptr<Transport> far, Duration longest)
      : machine_(machine), far_(std::move(far)), longest_(longest) {}

  Result<std::unique_ptr<HttpResponse>> RoundTrip(const HttpRequest& request,
                                                  std::stop_token stop) override {
    machine_.AwaitResumed();
    if (Status late = CheckSendBefore(request, machine_.Now()); !late.ok()) return late;
    const Duration way = std::chrono::duration_cast<Duration>(machine_.RandomFraction() * longest_);
    const Duration patience = request.timeout.value_or(Duration::max());
    const bool went_on = machine_.world_.SleepFor(std::min(way, patience), stop);
    if (!went_on) return Status::Canceled();
    if (way >= patience) return Status(StatusReason::kDeadlineExceeded, "no answer in time");
    HttpRequest rest = request;
    rest.send_before.reset();  // it has left
    if (rest.timeout) rest.timeout = *rest.timeout - way;
    auto response = far_->RoundTrip(rest, std::move(stop));
    machine_.AwaitResumed();
    return response;
  }

 private:
  Machine& machine_;
  const std::shared_ptr<Transport> far_;
  const Duration longest_;
};

Machine::Machine(Runtime& world) : world_(world), resumed_(world.NewCondition()) {}
Machine::~Machine() = default;

void Machine::Resume() {
  suspended_ = false;
  resumed_->NotifyAll();
  for (const auto& [number, condition] : conditions_) condition->NotifyAll();
}

std::shared_ptr<Transport> Machine::NewNetwork(std::shared_ptr<Transport> far, Duration longest) {
  return std::make_shared<Network>(*this, std::move(far), longest);
}

std::unique_ptr<Condition> Machine::NewCondition() {
  return std::make_unique<HeldCondition>(*this);
}

void Machine::AwaitResumed() {
  MutexLock lock(mutex_);
  while (suspended_) resumed_->Wait(mutex_);
}

}  // namespace capstan::scenarios
