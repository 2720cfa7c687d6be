#include "sync_failures.h"

#include "pod_trouble.h"

namespace capstan::deployment {
namespace {

constexpr size_t kMaxFailures = 1000;
constexpr int64_t kFewest = 3;

}  // namespace

void SyncFailures::Note(const NamespacedName& name, const Status& status, WallTime now) {
  if (status.ok() && size_ == 0) return;
  MutexLock lock(mutex_);
  if (status.ok()) {
    failures_.erase(name);
  } else if (failures_.size() < kMaxFailures || failures_.contains(name)) {
    Failure& failure = failures_[name];
    if (failure.count++ == 0) failure.since = now;
    failure.message = Excerpt(status.message());
  }
  size_ = failures_.size();
}

std::optional<SyncFailures::Failure> SyncFailures::Find(const NamespacedName& name) const {
  MutexLock lock(mutex_);
  const auto found = failures_.find(name);
  if (found == failures_.end() || found->second.count < kFewest) return std::nullopt;
  return found->second;
}

void AddFailure(const SyncFailures::Failure& failure, Explanation& explanation) {
  const std::string message =
      Format("The controller's last {} syncs have failed, the last with: {}", failure.count,
             failure.message);
  if (explanation.state == Explanation::State::kBlocked) {
    explanation.notes.push_back(message);
    return;
  }
  if (!explanation.message.empty()) {
    explanation.notes.insert(explanation.notes.begin(), std::move(explanation.message));
  }
  explanation.state = Explanation::State::kBlocked;
  explanation.reason = "SyncFailing";
  explanation.message = message;
  explanation.since = api::Time(failure.since);
}

Result<Action> FailureNotingReconciler::Reconcile(const Request& request) {
  Result<Action> action = inner_->Reconcile(request);
  failures_->Note(request.name, action.status(), clock_.Now());
  return action;
}

}  // namespace capstan::deployment
