#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include <capstan/client/transport.h>
#include <capstan/runtime/runtime.h>

namespace capstan::scenarios {

// What a manager runs on: a Runtime that can be suspended while the time of the other one, which it
// is part of, goes on; as SIGSTOP does, or the lid of a laptop.
// Not thread-safe: for the fibers of one SimulatedRuntime.
class Machine final : public Runtime {
 public:
  // `world` is borrowed.
  explicit Machine(Runtime& world);
  ~Machine() override;

  // From now on nobody comes back from a wait, and nothing is sent, until it is resumed. Who runs
  // on it must not be joined in between.
  void Suspend() { suspended_ = true; }
  void Resume();

  // A way to `far`, on which each request takes up to `longest` before it arrives. A request is
  // given up at its time-out, and does not arrive any more then.
  std::shared_ptr<Transport> NewNetwork(std::shared_ptr<Transport> far, Duration longest);

  const Clock& clock() const override { return world_.clock(); }
  std::unique_ptr<Thread> Start(std::string name, std::function<void()> body) override {
    return world_.Start(std::move(name), std::move(body));
  }
  std::unique_ptr<Condition> NewCondition() override;
  uint64_t Random() override { return world_.Random(); }
  void Yield() override { world_.Yield(); }

 private:
  class HeldCondition;
  class Network;

  void AwaitResumed();

  Runtime& world_;
  bool suspended_ = false;
  std::map<uint64_t, HeldCondition*> conditions_;  // in the order in which they were made
  uint64_t made_ = 0;
  Mutex mutex_;
  const std::unique_ptr<Condition> resumed_;
};

}  // namespace capstan::scenarios
