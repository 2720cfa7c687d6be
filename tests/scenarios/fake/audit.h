#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <capstan/client/client.h>
#include <capstan/client/transport.h>
#include <capstan/runtime/runtime.h>
#include <capstan/testing/api_server.h>

namespace capstan::scenarios {

// A request of a manager at the time when it arrived at the server.
struct AuditedRequest {
  MonotonicTime at;
  std::string manager;
  std::string method;
  std::string target;
  // The time since the manager last wrote the Lease. Unset when the manager does not hold the
  // Lease.
  std::optional<Duration> lease_age = {};

  // Whether the request changes anything other than leases and events.
  bool IsWork() const;
  // Whether the request lists objects of this resource, e.g. "pods", also if it does so by watch.
  // Lists for a version do not count.
  bool Lists(const std::string& resource) const;
  // Whether the request only asks how new a cache is (capstan/controller/live_versions.h).
  bool LearnsVersion() const;
  std::string ToString() const;
};

// Records the requests that an API server receives from several managers, and checks that only the
// lease holder writes. Not thread-safe: it is for the fibers of one SimulatedRuntime.
class Audit {
 public:
  // The arguments are borrowed. The managers compete for `lease`.
  Audit(testing::ApiServer& server, Runtime& runtime, NamespacedName lease);

  // The transport by which a manager reaches the server.
  std::shared_ptr<Transport> NewTransport(std::string manager);

  using Predicate = std::function<bool(const AuditedRequest&)>;
  const std::vector<AuditedRequest>& requests() const { return requests_; }
  size_t Count(const Predicate& is) const;
  // Counts requests of one manager since `begin`.
  size_t Count(const std::string& manager, MonotonicTime begin, const Predicate& is) const;
  // Null when there is no such request.
  const AuditedRequest* FirstSince(MonotonicTime begin, const Predicate& is) const;

  // All requests except lease renewals and events, one per line.
  std::string ToString() const;

  // The writes of managers that did not hold the stored Lease at that moment, or whose lease had
  // expired, one per line.
  const std::string& violations() const { return violations_; }
  // The time when a manager last acquired the Lease. Unset when it never did.
  std::optional<MonotonicTime> AcquiredAt(const std::string& manager) const;
  // The time when the stored Lease was last written, and the time when it expires. There must be a
  // Lease.
  MonotonicTime RenewedAt() const { return terms_.back().renewed; }
  MonotonicTime RunsOutAt() const { return terms_.back().renewed + terms_.back().duration; }

 private:
  class Recorder;
  struct Term {
    std::string manager;  // "" when the Lease was released
    MonotonicTime since;
    MonotonicTime renewed;
    Duration duration;
  };

  void Arrive(AuditedRequest request);
  void NoteLease(const std::string& manager);

  testing::ApiServer& server_;
  Runtime& runtime_;
  const NamespacedName lease_;
  const Client client_;  // bypasses the fault injectors
  std::vector<AuditedRequest> requests_;
  std::vector<Term> terms_;
  std::string violations_;
};

}  // namespace capstan::scenarios
