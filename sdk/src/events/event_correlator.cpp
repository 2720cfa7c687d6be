#include "events/event_correlator.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <initializer_list>
#include <string_view>
#include <utility>

#include <capstan/api/object.h>

namespace capstan {
namespace {

using api::core::v1::Event;

constexpr size_t kMostSimilar = 10;
constexpr Duration kSimilarWithin = std::chrono::minutes(10);
constexpr int kSpamBurst = 25;
constexpr double kSpamQps = 1.0 / 300;
constexpr size_t kLongestName = 253;

// The lengths keep the parts apart, whatever they contain.
std::string Join(std::initializer_list<std::string_view> parts) {
  std::string key;
  for (const std::string_view part : parts) {
    key.append(std::to_string(part.size())).append(":").append(part);
  }
  return key;
}

std::string ObjectKey(const Event& event) {
  const auto& object = event.involvedObject;
  return Join({event.source.component, event.source.host, object.kind, object.namespace_,
               object.name, object.uid.str(), object.apiVersion});
}

std::string SimilarKey(const Event& event) {
  return ObjectKey(event) +
         Join({event.type, event.reason, event.reportingComponent, event.reportingInstance});
}

std::string EventKey(const Event& event) {
  return SimilarKey(event) + Join({event.involvedObject.fieldPath, event.message});
}

// The API's rule for an object's name: labels of a-z, 0-9 and inner dashes, separated by dots.
bool IsDnsSubdomain(std::string_view name) {
  if (name.empty() || name.size() > kLongestName) return false;
  const auto is_alphanumeric = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  };
  char before = '.';
  for (const char c : name) {
    if (!is_alphanumeric(c) && c != '-' && c != '.') return false;
    if (before == '.' && !is_alphanumeric(c)) return false;
    if (before == '-' && c == '.') return false;
    before = c;
  }
  return is_alphanumeric(before);
}

}  // namespace

std::string EventNames::Next(std::string_view object, WallTime now, uint64_t salt) {
  last_ = std::max(last_ + 1, static_cast<int64_t>(now.time_since_epoch().count()));
  char suffix[24];
  std::snprintf(suffix, sizeof(suffix), ".%llx", static_cast<unsigned long long>(last_));
  std::string name = std::string(object) + suffix;
  if (IsDnsSubdomain(name)) return name;
  char replacement[24];
  std::snprintf(replacement, sizeof(replacement), "%016llx", static_cast<unsigned long long>(salt));
  return std::string(replacement) + suffix;
}

std::optional<EventCorrelator::Observation> EventCorrelator::Correlate(const Event& event) {
  Event observed = event;
  std::string key = Aggregate(observed);
  Observation observation = Count(std::move(observed), std::move(key));
  if (IsSpam(event)) return std::nullopt;
  return observation;
}

std::string EventCorrelator::Aggregate(Event& event) {
  const MonotonicTime now = clock_.Monotonic();
  std::string key = SimilarKey(event);
  Similar* similar = similar_.Get(key);
  if (!similar) similar = &similar_.Put(key, Similar{{}, now});
  if (now - similar->last > kSimilarWithin) similar->messages.clear();
  similar->last = now;
  similar->messages.insert(event.message);
  if (similar->messages.size() < kMostSimilar) return EventKey(event);
  // The set stays one short, so that the next new message is combined as well.
  similar->messages.erase(similar->messages.begin());
  event.message = "(combined from similar events): " + event.message;
  return key;
}

EventCorrelator::Observation EventCorrelator::Count(Event event, std::string key) {
  std::string patch;
  if (const Written* written = written_.Get(key)) {
    event.metadata.name = written->name;
    event.firstTimestamp = written->first_timestamp;
    event.count = written->count + 1;
    // The patch sets these three fields, whatever their values were.
    Event before = event;
    before.count = 0;
    before.lastTimestamp = api::Time();
    before.message.clear();
    patch = MergePatch(before, event);
  }
  written_.Put(std::move(key), {event.count, event.firstTimestamp, event.metadata.name});
  return {std::move(event), std::move(patch)};
}

bool EventCorrelator::IsSpam(const Event& event) {
  const MonotonicTime now = clock_.Monotonic();
  std::string key = ObjectKey(event) + Join({event.type});
  TokenBucket* bucket = buckets_.Get(key);
  if (!bucket) bucket = &buckets_.Put(std::move(key), TokenBucket(kSpamQps, kSpamBurst, now));
  return !bucket->TryTake(now);
}

}  // namespace capstan
