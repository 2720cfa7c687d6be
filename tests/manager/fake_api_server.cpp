#include "fake_api_server.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <capstan/api/object.h>

#include "base/text/ascii.h"

namespace capstan::manager {
namespace {

constexpr std::string_view kGroup = "/apis/coordination.k8s.io/";
constexpr std::string_view kLeases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
constexpr std::string_view kLease =
    "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/capstan";
constexpr const char* kSpecFields[] = {"/spec/holderIdentity",   "/spec/leaseDurationSeconds",
                                       "/spec/acquireTime",      "/spec/renewTime",
                                       "/spec/leaseTransitions", "/spec/strategy",
                                       "/spec/preferredHolder",  "/spec/pingTime"};

class FakeResponse final : public HttpResponse {
 public:
  explicit FakeResponse(FakeApiServer::Answer answer) : answer_(std::move(answer)) {}
  int status() const override { return answer_.status; }
  std::string Header(std::string_view name) const override {
    return text::EqualIgnoringCase(name, "Content-Type") ? "application/json" : "";
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

std::unique_ptr<HttpResponse> Respond(FakeApiServer::Answer answer) {
  return std::make_unique<FakeResponse>(std::move(answer));
}

std::string FailureText(int code, const std::string& reason) {
  return R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":")" + reason +
         R"(","message":"lease","code":)" + std::to_string(code) + "}";
}

FakeApiServer::Answer Failure(int code, const std::string& reason) {
  return {code, FailureText(code, reason)};
}

std::string EventLine(const char* type, std::string_view object) {
  return std::string(R"({"type":")") + type + R"(","object":)" + std::string(object) + "}\n";
}

// The discovery document of every group and version: all have these resources and no others.
constexpr const char* kResourcesOfAnyGroup = R"({"kind":"APIResourceList","resources":[
    {"name":"deployments"},{"name":"replicasets"},{"name":"pods"},{"name":"events"},
    {"name":"leases"}]})";

// "/api/v1", "/apis/apps/v1"
bool IsGroupVersion(std::string_view target) {
  return target == "/api/v1" ||
         (target.starts_with("/apis/") && std::count(target.begin(), target.end(), '/') == 3);
}

bool IsWatch(const HttpRequest& request) {
  return request.target.find("watch=") != std::string::npos;
}

std::string PathOf(const HttpRequest& request) {
  return request.target.substr(0, request.target.find('?'));
}

// The value of a query parameter, or "".
std::string Parameter(const HttpRequest& request, const std::string& name) {
  const size_t at = request.target.find(name + "=");
  if (at == std::string::npos) return "";
  const size_t begin = at + name.size() + 1;
  return request.target.substr(begin, request.target.find('&', begin) - begin);
}

std::string LastSegment(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

// An open watch of one object, or of a resource without objects.
class FakeApiServer::Watch final : public HttpResponse {
 public:
  Watch(FakeApiServer& server, std::string path, int64_t revision, Runtime& runtime,
        FakeTransport& transport, std::stop_token stop)
      : server_(server),
        path_(std::move(path)),
        revision_(revision),
        transport_(transport),
        stop_(std::move(stop)),
        changed_(runtime.NewCondition()) {
    MutexLock lock(server_.mutex_);
    server_.watches_.insert(this);
  }
  ~Watch() override {
    MutexLock lock(server_.mutex_);
    server_.watches_.erase(this);
  }

  int status() const override { return 200; }
  std::string Header(std::string_view) const override { return "application/json"; }
  Result<size_t> Read(char* buffer, size_t size) override {
    const StopWaker waker(stop_, server_.mutex_, *changed_);
    while (true) {
      // Watches of other resources are not affected by faults.
      const auto state = path_.empty() ? FakeTransport::State::kWorks : transport_.Current();
      MutexLock lock(server_.mutex_);
      if (stop_.stop_requested()) return Status::Canceled();
      if (is_torn_ || state == FakeTransport::State::kRefuses) {
        return Status(StatusReason::kTransport, "connection reset");
      }
      if (state != FakeTransport::State::kHangs && !is_deaf_) {
        if (pending_.empty()) Fill();
        if (!pending_.empty()) {
          const size_t count = std::min(size, pending_.size());
          std::memcpy(buffer, pending_.data(), count);
          pending_.erase(0, count);
          return count;
        }
        if (is_expired_) return size_t{0};
      }
      if (path_.empty() || transport_.Current() == state) changed_->Wait(server_.mutex_);
    }
  }

 private:
  friend class FakeApiServer;

  void Fill() CAPSTAN_REQUIRES(server_.mutex_) {
    if (path_.empty()) return;
    if (revision_ == 0) {
      revision_ = server_.revision_;
      const RawJson object = server_.Find(path_);
      if (!object.empty()) pending_ = EventLine("ADDED", object.text());
    } else if (revision_ < server_.oldest_ && !is_expired_) {
      is_expired_ = true;
      pending_ = EventLine("ERROR", FailureText(410, "Expired"));
    }
    if (is_expired_) return;
    for (const Change& change : server_.changes_) {
      if (change.revision <= revision_ || change.path != path_) continue;
      pending_ += change.line;
      revision_ = change.revision;
    }
  }

  FakeApiServer& server_;
  const std::string path_;
  int64_t revision_ CAPSTAN_GUARDED_BY(server_.mutex_);  // 0: starts with the current object
  FakeTransport& transport_;
  const std::stop_token stop_;
  const std::unique_ptr<Condition> changed_;
  std::string pending_ CAPSTAN_GUARDED_BY(server_.mutex_);
  bool is_torn_ = false;  // also guarded by the server's mutex
  bool is_expired_ CAPSTAN_GUARDED_BY(server_.mutex_) = false;
  bool is_deaf_ = false;
};

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
  return !Find(std::string(kLease)).empty();
}

api::coordination::v1::Lease FakeApiServer::Lease() const {
  MutexLock lock(mutex_);
  const RawJson lease = Find(std::string(kLease));
  if (lease.empty()) return {};
  return *FromJson<api::coordination::v1::Lease>(lease.text());
}

void FakeApiServer::SetLease(const std::function<void(api::coordination::v1::Lease&)>& change) {
  api::coordination::v1::Lease lease = Lease();
  change(lease);
  {
    MutexLock lock(mutex_);
    Store(std::string(kLease), *RawJson::Parse(ToJson(lease)));
  }
  WakeWatches();
}

void FakeApiServer::DeleteLease() {
  {
    MutexLock lock(mutex_);
    Remove(std::string(kLease));
  }
  WakeWatches();
}

void FakeApiServer::ServeLeaseCandidates(const std::string& version) {
  MutexLock lock(mutex_);
  candidate_version_ = version;
}

std::vector<std::string> FakeApiServer::LeaseCandidates() const {
  MutexLock lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [path, object] : objects_) {
    if (path != kLease) names.push_back(LastSegment(path));
  }
  return names;
}

RawJson FakeApiServer::LeaseCandidate(const std::string& name) const {
  MutexLock lock(mutex_);
  for (const auto& [path, object] : objects_) {
    if (path != kLease && LastSegment(path) == name) return object;
  }
  return {};
}

void FakeApiServer::SetLeaseCandidate(const std::string& name, const char* field,
                                      const RawJson& value) {
  {
    MutexLock lock(mutex_);
    for (const auto& [path, object] : objects_) {
      if (path == kLease || LastSegment(path) != name) continue;
      Store(path, object.With(field, value));
      break;
    }
  }
  WakeWatches();
}

void FakeApiServer::DeleteLeaseCandidate(const std::string& name) {
  {
    MutexLock lock(mutex_);
    for (const auto& [path, object] : objects_) {
      if (path == kLease || LastSegment(path) != name) continue;
      Remove(std::string(path));
      break;
    }
  }
  WakeWatches();
}

void FakeApiServer::RefuseWatches(int code) {
  MutexLock lock(mutex_);
  watch_code_ = code;
}

void FakeApiServer::TearWatches() {
  {
    MutexLock lock(mutex_);
    for (Watch* watch : watches_) {
      if (!watch->path_.empty()) watch->is_torn_ = true;
    }
  }
  WakeWatches();
}

void FakeApiServer::ExpireWatches() {
  {
    MutexLock lock(mutex_);
    oldest_ = ++revision_;
    changes_.clear();
  }
  WakeWatches();
}

void FakeApiServer::RestoreAt(int64_t revision) {
  {
    MutexLock lock(mutex_);
    revision_ = revision;
    changes_.clear();
    const RawJson version = RawJson::String(std::to_string(revision));
    for (auto& [path, object] : objects_) {
      object = object.With("/metadata/resourceVersion", version);
    }
  }
  TearWatches();
}

void FakeApiServer::SilenceWatches() {
  MutexLock lock(mutex_);
  for (Watch* watch : watches_) watch->is_deaf_ = true;
}

void FakeApiServer::WakeWatches() {
  MutexLock lock(mutex_);
  for (Watch* watch : watches_) watch->changed_->NotifyAll();
}

FakeApiServer::Answer FakeApiServer::Serve(const HttpRequest& request) {
  Answer answer{};
  {
    MutexLock lock(mutex_);
    requests_.push_back(request.method + " " + request.target);
    if (IsGroupVersion(request.target) &&
        (!request.target.starts_with(kGroup) || request.target.ends_with("/v1"))) {
      return {200, kResourcesOfAnyGroup};
    }
    if (request.target.starts_with(kGroup)) {
      answer = ServeObject(request);
    } else if (request.method != "GET") {
      auto body = RawJson::Parse(request.body);
      if (!body) return Failure(400, "BadRequest");
      if (auto message = body->StringAt("/message")) events_.push_back(*message);
      return {201, request.body};
    } else {
      return {200, R"({"metadata":{"resourceVersion":"100"},"items":[]})"};
    }
  }
  WakeWatches();
  return answer;
}

Result<std::unique_ptr<HttpResponse>> FakeApiServer::ServeWatch(const HttpRequest& request,
                                                                Runtime& runtime,
                                                                FakeTransport& transport,
                                                                std::stop_token stop) {
  const std::string selector = Parameter(request, "fieldSelector");
  const std::string version = Parameter(request, "resourceVersion");
  std::string path;
  {
    MutexLock lock(mutex_);
    if (!Parameter(request, "sendInitialEvents").empty()) {
      return Respond(Failure(422, "Invalid"));  // as a server before 1.27
    }
    requests_.push_back("WATCH " + request.target);
    if (request.target.starts_with(kGroup)) {
      if (watch_code_ != 200) return Respond(Failure(watch_code_, "Refused"));
      constexpr std::string_view kByName = "metadata.name%3D";
      if (!selector.starts_with(kByName)) return Respond(Failure(403, "Forbidden"));
      path = PathOf(request) + "/" + selector.substr(kByName.size());
    }
  }
  return std::unique_ptr<HttpResponse>(std::make_unique<Watch>(
      *this, path, version.empty() ? 0 : std::stoll(version), runtime, transport, std::move(stop)));
}

FakeApiServer::Answer FakeApiServer::ServeObject(const HttpRequest& request) {
  const std::string path = PathOf(request);
  const bool about_candidates =
      !candidate_version_.empty() && path.starts_with(std::string(kGroup) + candidate_version_);
  if (!path.starts_with(kLeases) && !about_candidates) return Failure(404, "NotFound");
  if (LastSegment(path) == candidate_version_) {
    return {200, R"({"kind":"APIResourceList","resources":[{"name":"leasecandidates"}]})"};
  }
  if (request.method == "POST") {
    auto object = RawJson::Parse(request.body);
    if (!object) return Failure(400, "BadRequest");
    const std::string of = path + "/" + object->StringAt("/metadata/name").value_or("");
    if (!Find(of).empty()) return Failure(409, "AlreadyExists");
    return Store(of, *std::move(object));
  }
  const RawJson object = Find(path);
  if (object.empty()) return Failure(404, "NotFound");
  if (request.method == "GET") return {200, object.text()};
  if (request.method == "DELETE") {
    Remove(path);
    return {200, R"({"kind":"Status","apiVersion":"v1","status":"Success"})"};
  }
  if (request.method != "PATCH") return Failure(405, "MethodNotAllowed");
  auto patch = RawJson::Parse(request.body);
  return patch ? Patch(path, *patch) : Failure(400, "BadRequest");
}

FakeApiServer::Answer FakeApiServer::Patch(const std::string& path, const RawJson& patch) {
  RawJson object = Find(path);
  const auto wanted = patch.StringAt("/metadata/resourceVersion");
  if (wanted && wanted != object.StringAt("/metadata/resourceVersion")) {
    return Failure(409, "Conflict");
  }
  for (const char* field : kSpecFields) {
    if (const RawJson value = patch.At(field); !value.empty()) object = object.With(field, value);
  }
  return Store(path, std::move(object));
}

RawJson FakeApiServer::Find(const std::string& path) const {
  const auto found = objects_.find(path);
  return found == objects_.end() ? RawJson() : found->second;
}

FakeApiServer::Answer FakeApiServer::Store(const std::string& path, RawJson object) {
  const bool is_new = Find(path).empty();
  object = object.With("/metadata/resourceVersion", RawJson::String(std::to_string(++revision_)));
  changes_.push_back({revision_, path, EventLine(is_new ? "ADDED" : "MODIFIED", object.text())});
  objects_[path] = object;
  return {200, object.text()};
}

void FakeApiServer::Remove(const std::string& path) {
  const RawJson object = Find(path);
  if (object.empty()) return;
  objects_.erase(path);
  const RawJson last =
      object.With("/metadata/resourceVersion", RawJson::String(std::to_string(++revision_)));
  changes_.push_back({revision_, path, EventLine("DELETED", last.text())});
}

FakeTransport::FakeTransport(FakeApiServer& server, Runtime* runtime)
    : server_(server),
      runtime_(runtime ? *runtime : server.runtime()),
      changed_(runtime_.NewCondition()) {}

FakeTransport::~FakeTransport() = default;

void FakeTransport::Set(State state) {
  {
    MutexLock lock(mutex_);
    state_ = state;
    changed_->NotifyAll();
  }
  server_.WakeWatches();
}

FakeTransport::State FakeTransport::Current() const {
  MutexLock lock(mutex_);
  return state_;
}

Status FakeTransport::Hang(const HttpRequest& request, const std::stop_token& stop) {
  const MonotonicTime end = runtime_.Now() + request.timeout.value_or(std::chrono::hours(1));
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
      if (!IsWatch(request)) server_.Serve(request);
      return Status(StatusReason::kTransport, "connection reset");
    case State::kWorks:
      break;
  }
  if (IsWatch(request)) return server_.ServeWatch(request, runtime_, *this, std::move(stop));
  return Respond(server_.Serve(request));
}

}  // namespace capstan::manager
