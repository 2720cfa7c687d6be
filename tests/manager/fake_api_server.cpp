#include "fake_api_server.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "client/write_term.h"

#include <capstan/api/object.h>

namespace capstan::manager {
namespace {

constexpr std::string_view kLeases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
constexpr const char* kSpecFields[] = {"/spec/holderIdentity", "/spec/leaseDurationSeconds",
                                       "/spec/acquireTime", "/spec/renewTime",
                                       "/spec/leaseTransitions"};

class FakeResponse final : public HttpResponse {
 public:
  explicit FakeResponse(FakeApiServer::Answer answer) : answer_(std::move(answer)) {}
  int status() const override { return answer_.status; }
  std::string Header(std::string_view name) const override {
    const bool wanted = name.size() == 12 && (name[0] | 0x20) == 'c';
    return wanted ? "application/json" : "";
  }
  Result<size_t> Read(char* buffer, size_t size) override {
    const size_t count = std::min(size, answer_.body.size() - at_);
    std::memcpy(buffer, answer_.body.data() + at_, count);
    at_ += count;
    return count;
  }

 private:
  FakeApiServer::Answer answer_;
  size_t at_ = 0;
};

// A watch in which nothing happens until it is given up.
class SilentWatch final : public HttpResponse {
 public:
  SilentWatch(Runtime& runtime, std::stop_token stop)
      : stop_(std::move(stop)), condition_(runtime.NewCondition()) {}
  int status() const override { return 200; }
  std::string Header(std::string_view) const override { return "application/json"; }
  Result<size_t> Read(char*, size_t) override {
    const StopWaker waker(stop_, mutex_, *condition_);
    MutexLock lock(mutex_);
    while (!stop_.stop_requested()) condition_->Wait(mutex_);
    return Status::Canceled();
  }

 private:
  std::stop_token stop_;
  Mutex mutex_;
  std::unique_ptr<Condition> condition_;
};

FakeApiServer::Answer Failure(int code, const std::string& reason) {
  return {code, R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":")" + reason +
                    R"(","message":"lease","code":)" + std::to_string(code) + "}"};
}

bool IsWatch(const HttpRequest& request) {
  return request.target.find("watch=") != std::string::npos;
}

}  // namespace

std::vector<std::string> FakeApiServer::Requests() const {
  MutexLock lock(mutex_);
  return requests_;
}

size_t FakeApiServer::Count(const std::string& method) const {
  MutexLock lock(mutex_);
  return static_cast<size_t>(
      std::count_if(requests_.begin(), requests_.end(), [&](const std::string& request) {
        return request.starts_with(method + " " + std::string(kLeases));
      }));
}

std::vector<std::string> FakeApiServer::Events() const {
  MutexLock lock(mutex_);
  return events_;
}

bool FakeApiServer::HasLease() const {
  MutexLock lock(mutex_);
  return !lease_.empty();
}

api::coordination::v1::Lease FakeApiServer::Lease() const {
  MutexLock lock(mutex_);
  if (lease_.empty()) return {};
  return *FromJson<api::coordination::v1::Lease>(lease_.text());
}

void FakeApiServer::SetLease(const std::function<void(api::coordination::v1::Lease&)>& change) {
  api::coordination::v1::Lease lease = Lease();
  change(lease);
  MutexLock lock(mutex_);
  Store(*RawJson::Parse(ToJson(lease)));
}

void FakeApiServer::DeleteLease() {
  MutexLock lock(mutex_);
  lease_ = RawJson();
}

FakeApiServer::Answer FakeApiServer::Serve(const HttpRequest& request) {
  MutexLock lock(mutex_);
  requests_.push_back(request.method + " " + request.target);
  if (request.target.starts_with(kLeases)) return ServeLease(request);
  if (request.method != "GET") {
    auto body = RawJson::Parse(request.body);
    if (!body) return Failure(400, "BadRequest");
    if (auto message = body->StringAt("/message")) events_.push_back(*message);
    return {201, request.body};
  }
  return {200, R"({"metadata":{"resourceVersion":"100"},"items":[]})"};
}

FakeApiServer::Answer FakeApiServer::ServeLease(const HttpRequest& request) {
  if (request.method == "POST") {
    if (!lease_.empty()) return Failure(409, "AlreadyExists");
    auto lease = RawJson::Parse(request.body);
    return lease ? Store(*std::move(lease)) : Failure(400, "BadRequest");
  }
  if (lease_.empty()) return Failure(404, "NotFound");
  if (request.method == "GET") return {200, std::string(lease_.text())};
  if (request.method != "PATCH") return Failure(405, "MethodNotAllowed");
  auto patch = RawJson::Parse(request.body);
  return patch ? PatchLease(*patch) : Failure(400, "BadRequest");
}

FakeApiServer::Answer FakeApiServer::PatchLease(const RawJson& patch) {
  const auto wanted = patch.StringAt("/metadata/resourceVersion");
  if (wanted && wanted != lease_.StringAt("/metadata/resourceVersion")) {
    return Failure(409, "Conflict");
  }
  RawJson lease = lease_;
  for (const char* field : kSpecFields) {
    if (const RawJson value = patch.At(field); !value.empty()) lease = lease.With(field, value);
  }
  return Store(std::move(lease));
}

FakeApiServer::Answer FakeApiServer::Store(RawJson lease) {
  lease_ = lease.With("/metadata/resourceVersion", RawJson::String(std::to_string(++revision_)));
  return {200, std::string(lease_.text())};
}

FakeTransport::FakeTransport(FakeApiServer& server)
    : server_(server), changed_(server.runtime().NewCondition()) {}

FakeTransport::~FakeTransport() = default;

void FakeTransport::Set(State state) {
  MutexLock lock(mutex_);
  state_ = state;
  changed_->NotifyAll();
}

FakeTransport::State FakeTransport::Current() const {
  MutexLock lock(mutex_);
  return state_;
}

Status FakeTransport::Hang(const HttpRequest& request, const std::stop_token& stop) {
  const MonotonicTime end =
      server_.runtime().Now() + request.timeout.value_or(std::chrono::hours(1));
  const StopWaker waker(stop, mutex_, *changed_);
  MutexLock lock(mutex_);
  while (!stop.stop_requested() && state_ == State::kHangs) {
    if (!changed_->WaitUntil(mutex_, end)) {
      return Status(StatusReason::kDeadlineExceeded, "no answer in time");
    }
  }
  return stop.stop_requested() ? Status::Canceled()
                               : Status(StatusReason::kTransport, "connection reset");
}

Result<std::unique_ptr<HttpResponse>> FakeTransport::RoundTrip(const HttpRequest& request,
                                                               std::stop_token stop) {
  if (stop.stop_requested()) return Status::Canceled();
  if (Status late = CheckSendBefore(request, server_.runtime().Now()); !late.ok()) return late;
  switch (Current()) {
    case State::kRefuses:
      return Status(StatusReason::kTransport, "connection refused");
    case State::kHangs:
      return Hang(request, stop);
    case State::kLosesAnswers:
      server_.Serve(request);
      return Status(StatusReason::kTransport, "connection reset");
    case State::kWorks:
      break;
  }
  if (IsWatch(request)) {
    return std::unique_ptr<HttpResponse>(
        std::make_unique<SilentWatch>(server_.runtime(), std::move(stop)));
  }
  return std::unique_ptr<HttpResponse>(std::make_unique<FakeResponse>(server_.Serve(request)));
}

}  // namespace capstan::manager
