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

// An API server that holds Leases and LeaseCandidates, takes events, and has empty lists of
// everything else. Discovery finds
// deployments, replicasets, pods, events and leases.
class FakeApiServer {
 public:
  explicit FakeApiServer(Runtime& runtime) : runtime_(runtime) {}

  // What a request was, "PATCH /apis/...", in the order of arrival; watches too, as "WATCH ".
  std::vector<std::string> Requests() const;
  // Of those about the Lease.
  size_t Count(const std::string& method) const;
  // The messages of the events that came.
  std::vector<std::string> Events() const;

  // The one Lease, kube-system/capstan.
  bool HasLease() const;
  api::coordination::v1::Lease Lease() const;
  std::string Holder() const { return Lease().spec.holderIdentity.value_or("<none>"); }
  // Somebody else's write.
  void SetLease(const std::function<void(api::coordination::v1::Lease&)>& change);
  void DeleteLease();

  // From now on there are LeaseCandidates of this version.
  void ServeLeaseCandidates(const std::string& version);
  std::vector<std::string> LeaseCandidates() const;
  RawJson LeaseCandidate(const std::string& name) const;  // absent: there is none
  void DeleteLeaseCandidate(const std::string& name);
  void SetLeaseCandidate(const std::string& name, const char* field, const RawJson& value);

  // Watches of Leases are answered with this code; 200: they work.
  void RefuseWatches(int code);
  // Ends all that are open in the middle of a line.
  void TearWatches();
  // Forgets all changes so far: the open ones end with 410, as does one from an older version.
  void ExpireWatches();
  // As after a backup was restored: all that is there has this small version.
  void RestoreAt(int64_t revision);
  // The open ones tell of nothing more.
  void DeafenWatches();

  struct Answer {
    int status;
    std::string body;
  };
  Answer Serve(const HttpRequest& request);
  // An answer that goes on until `stop`; `transport` may break it.
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

// One candidate's way to the server, which may break.
class FakeTransport : public Transport {
 public:
  enum class State { kWorks, kRefuses, kHangs, kLosesAnswers };

  // `runtime` is that of the process, the server's if there is no other.
  explicit FakeTransport(FakeApiServer& server, Runtime* runtime = nullptr);
  ~FakeTransport() override;

  void Set(State state);
  Result<std::unique_ptr<HttpResponse>> RoundTrip(const HttpRequest& request,
                                                  std::stop_token stop) override;

  State Current() const;

 private:
  // Waits until the time-out, the stop token, or another state.
  Status Hang(const HttpRequest& request, const std::stop_token& stop);

  FakeApiServer& server_;
  Runtime& runtime_;
  mutable Mutex mutex_;
  std::unique_ptr<Condition> changed_;
  State state_ CAPSTAN_GUARDED_BY(mutex_) = State::kWorks;
};

}  // namespace capstan::manager
