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

// Sees every request where it reaches the server, and says so when a controller breaks a rule:
//   - only the holder of the lease writes;
//   - no write raises a ReplicaSet so that all of its Deployment's together are above replicas plus
//     maxSurge;
//   - no second ReplicaSet is created for a template that has one;
//   - no pod is created beyond its ReplicaSet's replicas;
//   - no available pod is deleted that a rolling update has to keep;
//   - no ReplicaSet is deleted that has pods, or is to have some;
//   - nothing is released that its owner selects, so that no pod is orphaned.
// The rules are about what a controller can know. So they hold while nothing has disturbed it for a
// while: no user and no pod's failure for a second of somebody's lead, no end of the watches for
// some more, no fault of the network for a minute. The death of a manager disturbs nothing. Not
// thread-safe: for the fibers of one SimulatedRuntime.
class Referee {
 public:
  Referee(testing::ApiServer& server, Runtime& runtime, Journal& journal);

  // A way to the server for one actor. Managers are judged, others disturb them.
  std::shared_ptr<Transport> NewTransport(std::string actor, bool is_manager);

  // From now on, or until now, requests fail and caches lag.
  void SetFaulty(bool faulty);
  void Disturb() { disturbed_at_ = std::max(disturbed_at_, runtime_.Now()); }
  // All watches have ended: what happens until they are open again is news later on.
  void DisturbWatches();

  // The first rule that was broken, or "".
  const std::string& verdict() const { return verdict_; }
  size_t requests() const { return requests_; }
  // How often a rule was looked at.
  size_t checks() const { return checks_; }
  // The managers' writes that are neither about leases nor events.
  size_t controller_writes() const { return controller_writes_; }

 private:
  class Door;

  // What is wrong with a manager's write that the server is about to get, or "".
  std::string Judge(const std::string& actor, const HttpRequest& request);
  std::string JudgeSurge(const HttpRequest& request);
  std::string JudgeNewSet(const HttpRequest& request);
  std::string JudgeSetDeletion(const HttpRequest& request);
  std::string JudgeCreation(const HttpRequest& request);
  std::string JudgeDeletion(const HttpRequest& request);
  std::string JudgeRelease(const HttpRequest& request);
  // Whether somebody else's write is something that a controller has yet to learn of.
  bool Disturbs(const HttpRequest& request) const;
  // Of a write that took effect.
  void NoteLease(const std::string& actor, const HttpRequest& request);
  bool IsCalm() const;

  testing::ApiServer& server_;
  Runtime& runtime_;
  Journal& journal_;
  const Client client_;  // past all the doors
  MonotonicTime disturbed_at_;
  std::optional<MonotonicTime> faulty_until_;
  bool faulty_ = false;
  std::string holder_;    // the manager that wrote the lease last, "" when it gave it back
  MonotonicTime led_at_;  // when that was
  std::map<std::string, MonotonicTime, std::less<>> lowered_at_;  // ReplicaSets
  std::string verdict_;
  size_t requests_ = 0;
  size_t checks_ = 0;
  size_t controller_writes_ = 0;
};

}  // namespace capstan::simulation
