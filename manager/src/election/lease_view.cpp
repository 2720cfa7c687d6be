#include "election/lease_view.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <capstan/api/object.h>

namespace capstan::manager {
namespace {

bool IsNumber(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Versions that cannot be compared count as newer. At worst, the Lease is read once more.
bool IsNewer(std::string_view version, std::string_view than) {
  if (version == than) return false;
  if (!IsNumber(version) || !IsNumber(than)) return true;
  return version.size() != than.size() ? version.size() > than.size() : version > than;
}

}  // namespace

LeaseView::LeaseView(std::string identity, Duration default_duration)
    : identity_(std::move(identity)), default_duration_(default_duration) {}

bool LeaseView::Observe(LeasePtr lease, const std::string& version, MonotonicTime now) {
  if (is_known_ && !IsNewer(version, version_)) return false;
  Take(std::move(lease), version, now);
  return true;
}

void LeaseView::Learn(LeasePtr lease, uint64_t revision, MonotonicTime now) {
  const bool overtaken = revision != revision_;
  // A missing Lease has no resourceVersion.
  if (overtaken && (!lease || !IsNewer(lease->metadata.resourceVersion, version_))) return;
  std::string version = lease ? lease->metadata.resourceVersion : version_;
  Take(std::move(lease), std::move(version), now);
}

std::string_view LeaseView::holder() const {
  return lease_ && lease_->spec.holderIdentity ? std::string_view(*lease_->spec.holderIdentity)
                                               : "";
}

bool LeaseView::IsUnwanted() const {
  if (!lease_) return false;
  const auto& preferred = lease_->spec.preferredHolder;
  return preferred && !preferred->empty() && *preferred != identity_;
}

void LeaseView::Take(LeasePtr lease, std::string version, MonotonicTime now) {
  const bool touched = lease && lease_ && Equal(lease->spec, lease_->spec);
  ++revision_;
  is_known_ = true;
  lease_ = std::move(lease);
  version_ = std::move(version);
  if (touched || !lease_) return;
  free_at_ = now;
  if (holder().empty() || IsMine()) return;
  const auto seconds = lease_->spec.leaseDurationSeconds;
  free_at_ += seconds ? std::chrono::seconds(*seconds) : default_duration_;
}

}  // namespace capstan::manager
