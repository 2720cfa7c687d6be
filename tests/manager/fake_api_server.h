#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <capstan/api/coordination_v1.h>
#include <capstan/api/raw_json.h>
#include <capstan/client/transport.h>
#include <capstan/runtime/runtime.h>

namespace capstan::manager {

// An API server that holds one Lease, takes events, and has empty lists of everything else.
// Discovery finds deployments, replicasets, pods, events and leases.
class FakeApiServer {
 public:
  explicit FakeApiServer(Runtime& runtime) : runtime_(runtime) {}

  // What a request was, "PATCH /apis/...", in the order of arrival.
  std::vector<std::string> Requests() const;
  size_t Count(const std::string& method) const;
  // The messages of the events that came.
  std::vector<std::string> Events() const;

  bool HasLease() const;
  api::coordination::v1::Lease Lease() const;
  std::string Holder() const { return Lease().spec.holderIdentity.value_or("<none>"); }
  // Somebody else's write.
  void SetLease(const std::function<void(api::coordination::v1::Lease&)>& change);
  void DeleteLease();

  struct Answer {
    int status;
    std::string body;
  };
  Answer Serve(const HttpRequest& request);

  Runtime& runtime() { return runtime_; }

 private:
  Answer ServeLease(const HttpRequest& request) CAPSTAN_REQUIRES(mutex_);
  Answer PatchLease(const RawJson& patch) CAPSTAN_REQUIRES(mutex_);
  Answer Store(RawJson lease) CAPSTAN_REQUIRES(mutex_);

  Runtime& runtime_;
  mutable Mutex mutex_;
  RawJson lease_ CAPSTAN_GUARDED_BY(mutex_);
  int64_t revision_ CAPSTAN_GUARDED_BY(mutex_) = 100;
  std::vector<std::string> requests_ CAPSTAN_GUARDED_BY(mutex_);
  std::vector<std::string> events_ CAPSTAN_GUARDED_BY(mutex_);
};

// One candidate's way to the server, which may break.
class FakeTransport : public Transport {
 public:
  enum class State { kWorks, kRefuses, kHangs, kLosesAnswers };

  explicit FakeTransport(FakeApiServer& server);
  ~FakeTransport() override;

  void Set(State state);
  Result<std::unique_ptr<HttpResponse>> RoundTrip(const HttpRequest& request,
                                                  std::stop_token stop) override;

 private:
  State Current() const;
  // Waits until the time-out, the stop token, or another state.
  Status Hang(const HttpRequest& request, const std::stop_token& stop);

  FakeApiServer& server_;
  mutable Mutex mutex_;
  std::unique_ptr<Condition> changed_;
  State state_ CAPSTAN_GUARDED_BY(mutex_) = State::kWorks;
};

}  // namespace capstan::manager
