#include "invariant_checker.h"

#include <algorithm>
#include <chrono>
#include <stop_token>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/api/object.h>

#include "cluster.h"
#include "json/value.h"

namespace capstan::simulation {
namespace {

using scenarios::IsActive;
using scenarios::IsReady;
using scenarios::IsReadyAndActive;

constexpr Duration kCalmAfterDisturbance = std::chrono::seconds(1);
// The first back-off of a reflector is up to 1.6 s.
constexpr Duration kUntilWatchesAreOpen = std::chrono::seconds(2);
constexpr Duration kCalmAfterFaults = std::chrono::seconds(60);

std::string OwnerName(const json::Value& object) {
  const auto& owners = object.Get("metadata", "ownerReferences").items();
  return owners.empty() ? "" : owners[0].Get("name").AsString();
}

bool Contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

bool IsWrite(const HttpRequest& request) { return request.method != "GET"; }

// "pods", "web-1", "status" of "/api/v1/namespaces/n/pods/web-1/status?x=y".
struct Target {
  std::string namespace_;
  std::string resource;
  std::string name;
  std::string subresource;
};

Target ParseTarget(const std::string& target) {
  std::vector<std::string> parts;
  const std::string path = target.substr(0, target.find('?'));
  for (size_t begin = 1; begin <= path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    parts.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  Target parsed;
  const auto namespaces = std::find(parts.begin(), parts.end(), "namespaces");
  if (parts.end() - namespaces < 3) return parsed;
  parsed.namespace_ = namespaces[1];
  parsed.resource = namespaces[2];
  if (parts.end() - namespaces > 3) parsed.name = namespaces[3];
  if (parts.end() - namespaces > 4) parsed.subresource = namespaces[4];
  return parsed;
}

// Bypasses all transports of the test.
class DirectTransport final : public Transport {
 public:
  explicit DirectTransport(testing::ApiServer& server) : server_(server) {}
  Result<std::unique_ptr<HttpResponse>> RoundTrip(const HttpRequest& request,
                                                  std::stop_token stop) override {
    return server_.Serve(request, {}, std::move(stop));
  }

 private:
  testing::ApiServer& server_;
};

// Resolves a percentage of `whole`, or the number itself.
int64_t Resolve(const std::optional<api::IntOrString>& value, int64_t whole, bool round_up) {
  if (!value) return 0;
  const Result<int64_t> scaled = value->Scaled(whole, round_up);
  return scaled ? *scaled : 0;
}

// The template as in the Deployment.
RawJson TemplateOf(const ReplicaSet& replica_set) {
  return replica_set.spec.template_.Without("/metadata/labels/pod-template-hash");
}

bool Selects(const api::LabelSelector& selector, const api::ObjectMeta& metadata) {
  const auto parsed = Selector::From(selector);
  return parsed && parsed->Matches(metadata.labels);
}

struct Limits {
  int64_t most = 0;       // maximum sum of replicas
  int64_t available = 0;  // minimum
};

Limits LimitsOf(const Deployment& deployment) {
  const int64_t replicas = deployment.spec.replicas.value_or(1);
  const auto& rolling = deployment.spec.strategy.rollingUpdate;
  if (deployment.spec.strategy.type == "Recreate" || !rolling) return {replicas, 0};
  const int64_t surge = Resolve(rolling->maxSurge, replicas, true);
  int64_t unavailable = Resolve(rolling->maxUnavailable, replicas, false);
  if (surge == 0 && unavailable == 0) unavailable = 1;
  return {replicas + surge, replicas - std::min(unavailable, replicas)};
}

}  // namespace

// The transport of an actor to the server.
class InvariantChecker::CheckedTransport final : public Transport {
 public:
  CheckedTransport(InvariantChecker& checker, std::string actor, bool is_manager)
      : checker_(checker), actor_(std::move(actor)), is_manager_(is_manager) {}

  Result<std::unique_ptr<HttpResponse>> RoundTrip(const HttpRequest& request,
                                                  std::stop_token stop) override {
    checker_.runtime_.Yield();
    if (Status late = CheckSendBefore(request, checker_.runtime_.Now()); !late.ok()) return late;
    ++checker_.requests_;
    if (!IsWrite(request)) return checker_.server_.Serve(request, {}, std::move(stop));
    const std::string complaint = is_manager_ ? checker_.Check(actor_, request) : "";
    const bool disturbs = !is_manager_ && checker_.Disturbs(request);
    auto response = checker_.server_.Serve(request, {}, std::move(stop));
    const int code = response ? (*response)->status() : 0;
    if (checker_.journal_.keeps()) {
      checker_.journal_.Add(actor_, ShortText(request) + " -> " + std::to_string(code));
    }
    if (code < 300) {
      if (disturbs) checker_.Disturb();
      if (is_manager_) checker_.NoteLease(actor_, request);
      if (!complaint.empty() && checker_.violation_.empty()) {
        checker_.violation_ = actor_ + ": " + complaint + ": " + ShortText(request);
      }
    }
    checker_.runtime_.Yield();
    return response;
  }

 private:
  InvariantChecker& checker_;
  const std::string actor_;
  const bool is_manager_;
};

InvariantChecker::InvariantChecker(testing::ApiServer& server, Runtime& runtime, Journal& journal)
    : server_(server),
      runtime_(runtime),
      journal_(journal),
      client_(std::make_shared<DirectTransport>(server), runtime, {.qps = 0}),
      disturbed_at_(runtime.Now()),
      led_at_(runtime.Now()) {}

std::shared_ptr<Transport> InvariantChecker::NewTransport(std::string actor, bool is_manager) {
  return std::make_shared<CheckedTransport>(*this, std::move(actor), is_manager);
}

void InvariantChecker::SetFaulty(bool faulty) {
  faulty_ = faulty;
  if (!faulty) faulty_until_ = runtime_.Now();
}

void InvariantChecker::DisturbWatches() { disturbed_at_ = runtime_.Now() + kUntilWatchesAreOpen; }

bool InvariantChecker::AreRulesActive() const {
  const MonotonicTime now = runtime_.Now();
  return !faulty_ && (!faulty_until_ || now - *faulty_until_ > kCalmAfterFaults) &&
         now - disturbed_at_ > kCalmAfterDisturbance;
}

std::string InvariantChecker::Check(const std::string& actor, const HttpRequest& request) {
  const Target target = ParseTarget(request.target);
  if (target.resource == "leases" || target.resource == "events") return "";
  ++controller_writes_;
  if (!AreRulesActive()) return "";
  ++checks_;
  if (holder_ != actor) return "it writes while \"" + holder_ + "\" holds the lease";
  if (Contains(request.body, R"("$patch":"delete")")) return CheckRelease(request);
  if (target.resource == "pods" && request.method == "POST") return CheckCreation(request);
  if (target.resource == "pods" && request.method == "DELETE") return CheckDeletion(request);
  if (target.resource != "replicasets" || !target.subresource.empty()) return "";
  if (request.method == "DELETE") return CheckSetDeletion(request);
  if (request.method == "POST") {
    const std::string complaint = CheckNewSet(request);
    if (!complaint.empty()) return complaint;
  }
  return Contains(request.body, R"("replicas")") ? CheckSurge(request) : "";
}

void InvariantChecker::NoteLease(const std::string& actor, const HttpRequest& request) {
  if (ParseTarget(request.target).resource != "leases") return;
  if (Contains(request.body, R"("holderIdentity":"")")) {
    holder_.clear();
  } else if (holder_ != actor) {
    holder_ = actor;
    // Changes during a time without a leader are new to the next one.
    if (disturbed_at_ + kCalmAfterDisturbance > led_at_) Disturb();
  }
  led_at_ = runtime_.Now();
}

// Controllers wait for a pod to be bound, to become ready, or to be removed.
bool InvariantChecker::Disturbs(const HttpRequest& request) const {
  const Target target = ParseTarget(request.target);
  if (target.resource.empty() || target.resource == "events") return false;
  if (target.resource != "pods") return true;
  if (target.subresource == "binding") return false;
  if (target.subresource != "status") {
    return !Contains(request.body, R"("gracePeriodSeconds":0,"preconditions")");
  }
  if (Contains(request.body, R"("Failed")")) return true;
  if (!Contains(request.body, "NotReady")) return false;
  const auto pod = client_.Get<Pod>({target.namespace_, target.name});
  return !pod || IsReady(**pod);
}

std::string InvariantChecker::CheckSurge(const HttpRequest& request) {
  const Target target = ParseTarget(request.target);
  const auto written = json::ParseValue(request.body);
  if (!written) return "";
  const json::Value& object = written->value;
  const bool is_new = request.method == "POST";
  const Cluster cluster(client_, target.namespace_);
  const ReplicaSet* target_set = cluster.ReplicaSetNamed(target.name);
  const Deployment* deployment = is_new ? cluster.DeploymentNamed(OwnerName(object))
                                 : target_set != nullptr ? cluster.OwnerOf(*target_set)
                                                         : nullptr;
  if (deployment == nullptr) return "";
  const int64_t before = target_set != nullptr ? target_set->spec.replicas.value_or(1) : 0;
  const int64_t after = object.Get("spec", "replicas").AsInteger();
  const int64_t sum = cluster.ReplicasOf(*deployment) - before + after;
  const Limits limits = LimitsOf(*deployment);
  ++checks_;
  if (after < before) lowered_at_[target.name] = runtime_.Now();
  if (after <= before || sum <= limits.most) return "";
  return "it scales the ReplicaSets to " + std::to_string(sum) + " pods; the limit is " +
         std::to_string(limits.most);
}

std::string InvariantChecker::CheckNewSet(const HttpRequest& request) {
  const auto written = FromJson<ReplicaSet>(request.body);
  const api::OwnerReference* owner = written ? api::ControllerOf(written->metadata) : nullptr;
  if (owner == nullptr) return "";
  const Cluster cluster(client_, ParseTarget(request.target).namespace_);
  ++checks_;
  for (const auto& each : cluster.replica_sets()) {
    if (api::IsControlledBy(each->metadata, owner->uid) && !each->metadata.deletionTimestamp &&
        SemanticallyEqual(TemplateOf(*each), TemplateOf(*written))) {
      return "it creates a duplicate of " + each->metadata.name;
    }
  }
  return "";
}

std::string InvariantChecker::CheckSetDeletion(const HttpRequest& request) {
  const Target target = ParseTarget(request.target);
  const Cluster cluster(client_, target.namespace_);
  const ReplicaSet* replica_set = cluster.ReplicaSetNamed(target.name);
  if (replica_set == nullptr) return "";
  ++checks_;
  const int64_t pods = cluster.CountPods(*replica_set, IsActive);
  const int64_t replicas = replica_set->spec.replicas.value_or(1);
  if (pods == 0 && replicas == 0) return "";
  return "it deletes a ReplicaSet that has " + std::to_string(pods) + " of " +
         std::to_string(replicas) + " pods";
}

std::string InvariantChecker::CheckRelease(const HttpRequest& request) {
  const Target target = ParseTarget(request.target);
  const Cluster cluster(client_, target.namespace_);
  ++checks_;
  if (target.resource == "pods") {
    const Pod* pod = cluster.PodNamed(target.name);
    const ReplicaSet* owner = pod != nullptr ? cluster.OwnerOf(*pod) : nullptr;
    if (owner == nullptr || !Selects(owner->spec.selector, pod->metadata)) return "";
  } else {
    const ReplicaSet* replica_set = cluster.ReplicaSetNamed(target.name);
    const Deployment* owner = replica_set != nullptr ? cluster.OwnerOf(*replica_set) : nullptr;
    if (owner == nullptr || !Selects(owner->spec.selector, replica_set->metadata)) return "";
  }
  return "it releases an object that the owner selects";
}

std::string InvariantChecker::CheckCreation(const HttpRequest& request) {
  const auto written = json::ParseValue(request.body);
  if (!written) return "";
  const Cluster cluster(client_, ParseTarget(request.target).namespace_);
  const ReplicaSet* replica_set = cluster.ReplicaSetNamed(OwnerName(written->value));
  if (replica_set == nullptr) return "";
  // The controller may have started to create pods before.
  const auto lowered = lowered_at_.find(replica_set->metadata.name);
  if (lowered != lowered_at_.end() && runtime_.Now() - lowered->second < kCalmAfterDisturbance) {
    return "";
  }
  const int64_t pods = cluster.CountPods(*replica_set, IsActive) + 1;
  const int64_t replicas = replica_set->spec.replicas.value_or(1);
  ++checks_;
  if (pods <= replicas) return "";
  return "it creates pod " + std::to_string(pods) + " of " + std::to_string(replicas);
}

std::string InvariantChecker::CheckDeletion(const HttpRequest& request) {
  const Target target = ParseTarget(request.target);
  const Cluster cluster(client_, target.namespace_);
  const Pod* pod = cluster.PodNamed(target.name);
  const ReplicaSet* replica_set = pod != nullptr ? cluster.OwnerOf(*pod) : nullptr;
  const Deployment* deployment = replica_set != nullptr ? cluster.OwnerOf(*replica_set) : nullptr;
  if (deployment == nullptr || deployment->spec.minReadySeconds > 0 || !IsReadyAndActive(*pod)) {
    return "";
  }
  int64_t available = 0;
  for (const auto& each : cluster.replica_sets()) {
    if (cluster.OwnerOf(*each) == deployment)
      available += cluster.CountPods(*each, IsReadyAndActive);
  }
  const Limits limits = LimitsOf(*deployment);
  ++checks_;
  if (available > limits.available) return "";
  return "it deletes one of " + std::to_string(available) + " available pods; at least " +
         std::to_string(limits.available) + " must remain";
}

}  // namespace capstan::simulation
