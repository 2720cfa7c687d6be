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

// A manager's request, when it arrived at the server.
struct AuditedRequest {
  MonotonicTime at;
  std::string manager;
  std::string method;
  std::string target;
  // How long ago the manager wrote the Lease that it holds; nothing when it does not hold it.
  std::optional<Duration> lease_age = {};

  // Whether it changes anything but leases and events.
  bool IsWork() const;
  // Whether it lists objects of this resource: "pods".
  bool Lists(const std::string& resource) const;
  std::string ToString() const;
};

// What an API server saw of several managers, and whether only the one that held the lease wrote.
// Not thread-safe: for the fibers of one SimulatedRuntime.
class Audit {
 public:
  // All are borrowed. The managers compete for `lease`.
  Audit(testing::ApiServer& server, Runtime& runtime, NamespacedName lease);

  // A manager's way to the server.
  std::shared_ptr<Transport> NewTransport(std::string manager);

  using Predicate = std::function<bool(const AuditedRequest&)>;
  const std::vector<AuditedRequest>& requests() const { return requests_; }
  size_t Count(const Predicate& is) const;
  // Of a manager, since `begin`.
  size_t Count(const std::string& manager, MonotonicTime begin, const Predicate& is) const;
  // Null when there is none.
  const AuditedRequest* FirstSince(MonotonicTime begin, const Predicate& is) const;

  // All that was no renewal and no event, a line each.
  std::string ToString() const;

  // The writes of managers to which the Lease, as it was stored at that moment, did not belong, or
  // whose lease had run out, a line each.
  const std::string& trespasses() const { return trespasses_; }
  // When a manager got the Lease last; none when it never did.
  std::optional<MonotonicTime> AcquiredAt(const std::string& manager) const;
  // When the Lease, as it is stored, was written, and when it runs out. There must be one.
  MonotonicTime RenewedAt() const { return terms_.back().renewed; }
  MonotonicTime RunsOutAt() const { return terms_.back().renewed + terms_.back().duration; }

 private:
  class Recorder;
  struct Term {
    std::string manager;  // "" when the Lease was given back
    MonotonicTime since;
    MonotonicTime renewed;
    Duration duration;
  };

  void Arrive(AuditedRequest request);
  void NoteLease(const std::string& manager);

  testing::ApiServer& server_;
  Runtime& runtime_;
  const NamespacedName lease_;
  const Client client_;  // past all doors
  std::vector<AuditedRequest> requests_;
  std::vector<Term> terms_;
  std::string trespasses_;
};

}  // namespace capstan::scenarios
