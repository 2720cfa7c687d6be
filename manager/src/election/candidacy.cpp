#include "election/candidacy.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <capstan/log/log.h>

#include "base/io/deadline_stop.h"

namespace capstan::manager {
namespace {

constexpr Duration kRenewPeriod = std::chrono::minutes(5);
constexpr Duration kWithdrawalLimit = std::chrono::seconds(1);
constexpr double kCandidacyJitter = 1.2;
/// Chooses the oldest emulation version. During an upgrade or rollback of the cluster, the leader
/// then runs a version that all other processes understand.
constexpr const char* kStrategy = "OldestEmulationVersion";

bool IsAsked(const LeaseCandidateSpec& spec) {
  return spec.pingTime && (!spec.renewTime || spec.pingTime > spec.renewTime);
}

}  // namespace

Candidacy::Candidacy(const Client& client, const TypeDescriptor& type, Config config,
                     Runtime& runtime)
    : client_(client),
      type_(type),
      config_(std::move(config)),
      runtime_(runtime),
      changed_(runtime.NewCondition()) {
  ObjectWatch::Listener listener;
  listener.on_change = [this](ObjectPtr object, const std::string& version) {
    See(std::move(object), version);
  };
  listener.on_following = [this](bool following) {
    MutexLock lock(mutex_);
    following_ = following;
    read_at_ = runtime_.Now();
    changed_->NotifyAll();
  };
  watch_ = std::make_unique<ObjectWatch>(client_, type_, config_.candidate, runtime_,
                                         std::move(listener));
  thread_ = runtime_.Start("lease-candidate", [this] { Run(stop_.get_token()); });
}

Candidacy::~Candidacy() {
  stop_.request_stop();
  thread_->Join();
  watch_.reset();
  Withdraw();
}

void Candidacy::Run(const std::stop_token& stop) {
  const Client client = client_.WithStop(stop);
  while (AwaitTurn(stop)) Report(Keep(client));
}

bool Candidacy::AwaitTurn(const std::stop_token& stop) {
  const StopWaker waker(stop, mutex_, *changed_);
  MutexLock lock(mutex_);
  while (!stop.stop_requested()) {
    const MonotonicTime due = following_ ? renew_at_ : std::min(renew_at_, read_at_);
    if (runtime_.Now() >= due) return true;
    changed_->WaitUntil(mutex_, due);
  }
  return false;
}

Status Candidacy::Keep(const Client& client) {
  CandidatePtr candidate;
  bool renew = false;
  {
    MutexLock lock(mutex_);
    const MonotonicTime now = runtime_.Now();
    renew = now >= renew_at_;
    candidate = candidate_;
    if (!is_known_) renew = true;
    // For the case that the request fails.
    read_at_ = now + runtime_.Jitter(config_.retry_period, kCandidacyJitter);
    renew_at_ = std::max(renew_at_, read_at_);
  }
  if (!renew) return Read(client);
  if (!candidate) return Create(client);
  return Renew(client, *candidate);
}

Status Candidacy::Create(const Client& client) {
  LeaseCandidate candidate;
  candidate.metadata.name = config_.candidate.name;
  candidate.metadata.namespace_ = config_.candidate.namespace_;
  candidate.spec.leaseName = config_.lease_name;
  candidate.spec.renewTime = api::MicroTime(runtime_.clock().Now());
  candidate.spec.binaryVersion = config_.binary_version;
  candidate.spec.emulationVersion = config_.emulation_version;
  candidate.spec.strategy = kStrategy;
  auto created = client.Create(type_, config_.candidate.namespace_, EncodeJson(type_, &candidate));
  if (!created) {
    return created.status().IsAlreadyExists() ? Read(client) : created.status();
  }
  const std::string version = MetadataOf(type_, created->get()).resourceVersion;
  {
    MutexLock lock(mutex_);
    renew_at_ = runtime_.Now() + kRenewPeriod;
  }
  See(*std::move(created), version);
  watch_->Follow(version);
  LogV(2, "Created lease candidate", {{"candidate", config_.candidate.ToString()}});
  return Status::Ok();
}

Status Candidacy::Read(const Client& client) {
  auto read = client.Get(type_, config_.candidate);
  if (!read && !read.status().IsNotFound()) return read.status();
  const std::string version = read ? MetadataOf(type_, read->get()).resourceVersion : "";
  See(read ? *std::move(read) : nullptr, version);
  if (!version.empty()) watch_->Follow(version);
  return Status::Ok();
}

/// Patches only renewTime, so that it does not conflict with other writes.
Status Candidacy::Renew(const Client& client, const LeaseCandidate& from) {
  LeaseCandidate to = from;
  to.spec.renewTime = api::MicroTime(runtime_.clock().Now());
  // The answer must be later than pingTime, even if the clock of this process is behind.
  if (to.spec.pingTime && to.spec.pingTime >= to.spec.renewTime) {
    to.spec.renewTime = api::MicroTime::FromMicroseconds(to.spec.pingTime.microseconds() + 1);
  }
  const std::string patch = DiffMergePatch(type_, &from, &to);
  if (!patch.empty()) {
    auto renewed = client.Patch(type_, config_.candidate, PatchType::kMerge, patch);
    if (!renewed) {
      return renewed.status().IsNotFound() ? Read(client) : renewed.status();
    }
    const std::string version = MetadataOf(type_, renewed->get()).resourceVersion;
    See(*std::move(renewed), version);
    watch_->Follow(version);
  }
  MutexLock lock(mutex_);
  if (candidate_ && !IsAsked(candidate_->spec)) renew_at_ = runtime_.Now() + kRenewPeriod;
  return Status::Ok();
}

/// The order of calls does not matter: each ping is answered, and answering twice is harmless.
void Candidacy::See(ObjectPtr object, const std::string& /*version*/) {
  MutexLock lock(mutex_);
  is_known_ = true;
  candidate_ = std::static_pointer_cast<const LeaseCandidate>(std::move(object));
  if (!candidate_ || IsAsked(candidate_->spec)) renew_at_ = runtime_.Now();
  changed_->NotifyAll();
}

void Candidacy::Report(const Status& status) {
  if (status.IsCanceled()) return;
  if (status.ok()) {
    if (std::exchange(failing_, false)) {
      LogInfo("Ensuring lease candidate succeeds again",
              {{"candidate", config_.candidate.ToString()}});
    }
    return;
  }
  if (std::exchange(failing_, true)) {
    LogV(4, "Ensuring lease candidate failed",
         {{"candidate", config_.candidate.ToString()}, {"err", status.ToString()}});
    return;
  }
  LogError(status, "Ensuring lease candidate failed, trying again",
           {{"candidate", config_.candidate.ToString()}});
}

/// Without the deletion, an election would wait until the server finds the candidate dead.
void Candidacy::Withdraw() {
  io::DeadlineStop bounded(runtime_);
  const Client client = client_.WithStop(bounded.Begin(runtime_.Now() + kWithdrawalLimit, {}));
  const Status status = client.Delete(type_, config_.candidate);
  if (status.ok() || status.IsNotFound()) return;
  LogV(2, "Failed to delete lease candidate, it will expire",
       {{"candidate", config_.candidate.ToString()}, {"err", status.ToString()}});
}

}  // namespace capstan::manager
