#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <capstan/client/client.h>
#include <capstan/runtime/runtime.h>
#include <capstan/testing/api_server.h>

#include "journal.h"

namespace capstan::simulation {

// Inspects every request at the server and records when a controller breaks a rule:
//   - only the holder of the lease writes;
//   - no write raises a ReplicaSet so that the sum over its Deployment's ReplicaSets exceeds
//     replicas plus maxSurge;
//   - no second ReplicaSet is created for a template that already has one;
//   - no pod is created beyond its ReplicaSet's replicas;
//   - no available pod is deleted that a rolling update must keep;
//   - no ReplicaSet is deleted that has pods or a positive number of replicas;
//   - nothing is released that its owner still selects, so that no pod is orphaned.
// The rules depend on what a controller can know. So they apply only when nothing has disturbed it
// for some time: no user and no pod failure for a second of a manager's leadership, no end of the
// watches for somewhat longer, and no network fault for a minute. The death of a manager is not a
// disturbance.
// Not thread-safe: for the fibers of one SimulatedRuntime.
class InvariantChecker {
 public:
  InvariantChecker(testing::ApiServer& server, Runtime& runtime, Journal& journal);

  // The transport of one actor to the server. Managers are checked; other actors disturb them.
  std::shared_ptr<Transport> NewTransport(std::string actor, bool is_manager);

  // Starts or ends a period in which requests fail and caches lag.
  void SetFaulty(bool faulty);
  void Disturb() { disturbed_at_ = std::max(disturbed_at_, runtime_.Now()); }
  // All watches have ended. Changes are seen only when the watches are open again.
  void DisturbWatches();

  // The first broken rule, or "".
  const std::string& violation() const { return violation_; }
  size_t requests() const { return requests_; }
  // The number of rule checks.
  size_t checks() const { return checks_; }
  // The number of writes by managers, except those of leases and events.
  size_t controller_writes() const { return controller_writes_; }

 private:
  class CheckedTransport;

  // Returns what is wrong with a manager's write before the server receives it, or "".
  std::string Check(const std::string& actor, const HttpRequest& request);
  std::string CheckSurge(const HttpRequest& request);
  std::string CheckNewSet(const HttpRequest& request);
  std::string CheckSetDeletion(const HttpRequest& request);
  std::string CheckCreation(const HttpRequest& request);
  std::string CheckDeletion(const HttpRequest& request);
  std::string CheckRelease(const HttpRequest& request);
  // Whether a write by another actor is a change that a controller has not seen yet.
  bool Disturbs(const HttpRequest& request) const;
  // Called for a write that took effect.
  void NoteLease(const std::string& actor, const HttpRequest& request);
  bool AreRulesActive() const;

  testing::ApiServer& server_;
  Runtime& runtime_;
  Journal& journal_;
  const Client client_;  // bypasses all fault injectors
  MonotonicTime disturbed_at_;
  std::optional<MonotonicTime> faulty_until_;
  bool faulty_ = false;
  std::string holder_;    // the last manager that wrote the lease, "" when it was released
  MonotonicTime led_at_;  // the time of that write
  std::map<std::string, MonotonicTime, std::less<>> lowered_at_;  // ReplicaSets
  std::string violation_;
  size_t requests_ = 0;
  size_t checks_ = 0;
  size_t controller_writes_ = 0;
};

}  // namespace capstan::simulation
