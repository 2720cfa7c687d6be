#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include <capstan/api/coordination_v1.h>
#include <capstan/api/raw_json.h>
#include <capstan/client/transport.h>
#include <capstan/runtime/runtime.h>

namespace capstan::manager {

class FakeTransport;

// An API server that stores Leases and LeaseCandidates, accepts events, and serves empty lists of
// all other resources. Discovery lists deployments, replicasets, pods, events and leases.
class FakeApiServer {
 public:
  explicit FakeApiServer(Runtime& runtime) : runtime_(runtime) {}

  // The requests in order of arrival, as "PATCH /apis/..."; watches as "WATCH ...".
  std::vector<std::string> Requests() const;
  // The number of requests for the Lease.
  size_t Count(const std::string& method) const;
  // The messages of the received events.
  std::vector<std::string> Events() const;

  // The only Lease, kube-system/capstan.
  bool HasLease() const;
  api::coordination::v1::Lease Lease() const;
  std::string Holder() const { return Lease().spec.holderIdentity.value_or("<none>"); }
  // A write by another client.
  void SetLease(const std::function<void(api::coordination::v1::Lease&)>& change);
  void DeleteLease();

  // Serves LeaseCandidates in this version from now on.
  void ServeLeaseCandidates(const std::string& version);
  std::vector<std::string> LeaseCandidates() const;
  RawJson LeaseCandidate(const std::string& name) const;  // absent when it does not exist
  void DeleteLeaseCandidate(const std::string& name);
  void SetLeaseCandidate(const std::string& name, const char* field, const RawJson& value);

  // Watches of Leases are answered with this code. 200 means that they work.
  void RefuseWatches(int code);
  // Breaks all open watches in the middle of a line.
  void TearWatches();
  // Discards all past changes: open watches end with 410, as do watches from an older version.
  void ExpireWatches();
  // Simulates a restored backup: all objects get this small version.
  void RestoreAt(int64_t revision);
  // Open watches send no more events.
  void SilenceWatches();

  struct Answer {
    int status;
    std::string body;
  };
  Answer Serve(const HttpRequest& request);
  // A response that continues until `stop`. `transport` may break it.
  Result<std::unique_ptr<HttpResponse>> ServeWatch(const HttpRequest& request, Runtime& runtime,
                                                   FakeTransport& transport, std::stop_token stop);

  Runtime& runtime() { return runtime_; }

 private:
  friend class FakeTransport;
  class Watch;
  struct Change {
    int64_t revision;
    std::string path;
    std::string line;
  };

  Answer ServeObject(const HttpRequest& request) CAPSTAN_REQUIRES(mutex_);
  Answer Patch(const std::string& path, const RawJson& patch) CAPSTAN_REQUIRES(mutex_);
  Answer Store(const std::string& path, RawJson object) CAPSTAN_REQUIRES(mutex_);
  void Remove(const std::string& path) CAPSTAN_REQUIRES(mutex_);
  RawJson Find(const std::string& path) const CAPSTAN_REQUIRES(mutex_);
  void WakeWatches();

  Runtime& runtime_;
  mutable Mutex mutex_;
  std::map<std::string, RawJson> objects_ CAPSTAN_GUARDED_BY(mutex_);  // by path
  std::string candidate_version_ CAPSTAN_GUARDED_BY(mutex_);
  int64_t revision_ CAPSTAN_GUARDED_BY(mutex_) = 100;
  std::vector<Change> changes_ CAPSTAN_GUARDED_BY(mutex_);
  int64_t oldest_ CAPSTAN_GUARDED_BY(mutex_) = 0;
  int watch_code_ CAPSTAN_GUARDED_BY(mutex_) = 200;
  std::set<Watch*> watches_ CAPSTAN_GUARDED_BY(mutex_);
  std::vector<std::string> requests_ CAPSTAN_GUARDED_BY(mutex_);
  std::vector<std::string> events_ CAPSTAN_GUARDED_BY(mutex_);
};

// The transport of one candidate to the server, which can be made to fail.
class FakeTransport : public Transport {
 public:
  enum class State { kWorks, kRefuses, kHangs, kLosesAnswers };

  // `runtime` is the runtime of the process; by default that of the server.
  explicit FakeTransport(FakeApiServer& server, Runtime* runtime = nullptr);
  ~FakeTransport() override;

  void Set(State state);
  Result<std::unique_ptr<HttpResponse>> RoundTrip(const HttpRequest& request,
                                                  std::stop_token stop) override;

  State Current() const;

 private:
  // Waits until the timeout, a stop request, or a change of state.
  Status Hang(const HttpRequest& request, const std::stop_token& stop);

  FakeApiServer& server_;
  Runtime& runtime_;
  mutable Mutex mutex_;
  std::unique_ptr<Condition> changed_;
  State state_ CAPSTAN_GUARDED_BY(mutex_) = State::kWorks;
};

}  // namespace capstan::manager
