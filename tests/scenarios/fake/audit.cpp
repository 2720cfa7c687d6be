#include "audit.h"

#include <algorithm>
#include <utility>

#include <capstan/api/coordination_v1.h>

namespace capstan::scenarios {
namespace {

bool HasPart(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool IsAboutLeases(const AuditedRequest& request) { return HasPart(request.target, "/leases"); }

}  // namespace

bool AuditedRequest::IsWork() const {
  return method != "GET" && !IsAboutLeases(*this) && !HasPart(target, "/events");
}

bool AuditedRequest::Lists(const std::string& resource) const {
  const std::string path = target.substr(0, target.find('?'));
  return method == "GET" && path.ends_with("/" + resource) && !LearnsVersion() &&
         (!HasPart(target, "watch=") || HasPart(target, "sendInitialEvents=true"));
}

bool AuditedRequest::LearnsVersion() const {
  return target.ends_with("?limit=1") || target.ends_with("timeoutSeconds=3");
}

std::string AuditedRequest::ToString() const {
  const auto seconds = std::chrono::duration<double>(at.time_since_epoch()).count();
  return std::to_string(seconds) + " s: " + manager + " " + method + " " + target;
}

class Audit::Recorder final : public Transport {
 public:
  Recorder(Audit& audit, std::string manager) : audit_(audit), manager_(std::move(manager)) {}

  Result<std::unique_ptr<HttpResponse>> RoundTrip(const HttpRequest& request,
                                                  std::stop_token stop) override {
    const AuditedRequest arrived{audit_.runtime_.Now(), manager_, request.method, request.target};
    audit_.Arrive(arrived);
    auto response = audit_.server_.Serve(request, {}, std::move(stop));
    const bool done = response && (*response)->status() < 300;
    if (done && arrived.method != "GET" && IsAboutLeases(arrived)) audit_.NoteLease(manager_);
    return response;
  }

 private:
  Audit& audit_;
  const std::string manager_;
};

Audit::Audit(testing::ApiServer& server, Runtime& runtime, NamespacedName lease)
    : server_(server),
      runtime_(runtime),
      lease_(std::move(lease)),
      client_(server.NewTransport(), runtime, {.qps = 0}) {}

std::shared_ptr<Transport> Audit::NewTransport(std::string manager) {
  return std::make_shared<Recorder>(*this, std::move(manager));
}

void Audit::Arrive(AuditedRequest request) {
  const Term* term = terms_.empty() ? nullptr : &terms_.back();
  if (term && term->manager == request.manager) request.lease_age = request.at - term->renewed;
  requests_.push_back(request);
  if (!request.IsWork()) return;
  if (!request.lease_age) {
    violations_ +=
        request.ToString() + ": \"" + (term ? term->manager : "") + "\" holds the lease\n";
  } else if (*request.lease_age >= term->duration) {
    violations_ += request.ToString() + ": its lease has run out\n";
  }
}

// Called after a write of `manager`. The last writer is the holder, unless holderIdentity is empty.
void Audit::NoteLease(const std::string& manager) {
  const auto lease = client_.Get<api::coordination::v1::Lease>(lease_);
  if (!lease) return;
  const auto& spec = (*lease)->spec;
  const bool held = !spec.holderIdentity.value_or("").empty();
  const std::string holder = held ? manager : "";
  const MonotonicTime now = runtime_.Now();
  if (terms_.empty() || terms_.back().manager != holder) {
    terms_.push_back({.manager = holder, .since = now, .renewed = now, .duration = {}});
  }
  terms_.back().renewed = now;
  terms_.back().duration = std::chrono::seconds(spec.leaseDurationSeconds.value_or(0));
}

size_t Audit::Count(const Predicate& is) const {
  return static_cast<size_t>(std::count_if(requests_.begin(), requests_.end(), is));
}

size_t Audit::Count(const std::string& manager, MonotonicTime begin, const Predicate& is) const {
  return Count([&](const AuditedRequest& request) {
    return request.manager == manager && request.at >= begin && is(request);
  });
}

const AuditedRequest* Audit::FirstSince(MonotonicTime begin, const Predicate& is) const {
  for (const AuditedRequest& request : requests_) {
    if (request.at >= begin && is(request)) return &request;
  }
  return nullptr;
}

std::string Audit::ToString() const {
  std::string text;
  for (const AuditedRequest& request : requests_) {
    if (request.IsWork() || request.method == "GET") text += request.ToString() + "\n";
  }
  return text;
}

std::optional<MonotonicTime> Audit::AcquiredAt(const std::string& manager) const {
  for (auto term = terms_.rbegin(); term != terms_.rend(); ++term) {
    if (term->manager == manager) return term->since;
  }
  return std::nullopt;
}

}  // namespace capstan::scenarios
