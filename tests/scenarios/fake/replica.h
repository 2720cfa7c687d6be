#pragma once

#include <chrono>
#include <memory>
#include <string>

#include <capstan/testing/fault_injector.h>

#include "audit.h"
#include "in_process_manager.h"
#include "long_way.h"
#include "support/suspendable_runtime.h"

namespace capstan::scenarios {

// The longest time that a request takes to arrive.
inline constexpr Duration kLongestWay = std::chrono::milliseconds(5);

// One of several managers, with its own machine and network.
struct Replica {
  Replica(Runtime& world, const std::string& name, const manager::Options& options, Audit& audit,
          Duration longest_way = kLongestWay)
      : machine(world),
        network(std::make_shared<testing::FaultInjector>(
            NewLongWay(machine, audit.NewTransport(name), longest_way), world)),
        manager(machine, name, options, network) {}
  ~Replica() { machine.Continue(); }  // lets the manager end

  const std::string& name() const { return manager.name(); }

  testing::SuspendableRuntime machine;
  const std::shared_ptr<testing::FaultInjector> network;
  InProcessManager manager;
};

}  // namespace capstan::scenarios
