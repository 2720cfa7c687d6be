#include "revision_plan.h"

#include <array>
#include <charconv>
#include <string>

#include <capstan/api/raw_json_memo.h>
#include <capstan/controller/ownership.h>

#include "scale_plan.h"

namespace capstan::deployment {
namespace {

constexpr size_t kMaxHistoryChars = 2000;
constexpr size_t kMaxNameLength = 253;
constexpr size_t kHashLength = 10;
// The alphabet of Kubernetes' own suffixes: no vowels and no characters that look alike.
constexpr std::string_view kSafeAlphabet = "bcdfghjklmnpqrstvwxz2456789";

std::optional<int64_t> ParseInt64(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  int64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return value;
}

// Appends to the comma-separated history. Drops the oldest entries if it becomes too long.
void AppendHistory(std::string_view old_revision, StringMap& annotations) {
  std::string_view history = annotations.Get(kRevisionHistoryAnnotation);
  if (history.empty() || history.front() == ',') {
    annotations.Set(kRevisionHistoryAnnotation, old_revision);
    return;
  }
  while (!history.empty() && history.size() + 1 + old_revision.size() > kMaxHistoryChars) {
    const size_t comma = history.find(',');
    history = comma == std::string_view::npos ? std::string_view() : history.substr(comma + 1);
  }
  std::string appended(history);
  if (!appended.empty()) appended += ',';
  appended += old_revision;
  if (appended.size() <= kMaxHistoryChars) annotations.Set(kRevisionHistoryAnnotation, appended);
}

}  // namespace

RawJson WithoutHash(const RawJson& pod_template) {
  return pod_template.Without(kPodTemplateHashPointer);
}

bool SameTemplate(const RawJson& a, const RawJson& b) {
  static RawJsonMemo<std::string> meanings(
      [](const RawJson& pod_template) { return WithoutHash(pod_template).SemanticDigest(); });
  return a.SharesTextWith(b) || meanings.Of(a) == meanings.Of(b);
}

std::optional<size_t> FindNewReplicaSet(const Deployment& deployment,
                                        const std::vector<ReplicaSetPtr>& sets) {
  for (size_t i = 0; i < sets.size(); ++i) {
    if (SameTemplate(sets[i]->spec.template_, deployment.spec.template_)) return i;
  }
  return std::nullopt;
}

std::optional<int64_t> RevisionOf(const ReplicaSet& set) {
  const std::string* text = set.metadata.annotations.Find(kRevisionAnnotation);
  if (!text) return 0;
  return ParseInt64(*text);
}

int64_t MaxRevision(const std::vector<const ReplicaSet*>& sets) {
  int64_t max = 0;
  for (const ReplicaSet* set : sets) max = std::max(max, RevisionOf(*set).value_or(0));
  return max;
}

int64_t LastRevision(const std::vector<const ReplicaSet*>& sets) {
  int64_t max = 0;
  int64_t second = 0;
  for (const ReplicaSet* set : sets) {
    const std::optional<int64_t> revision = RevisionOf(*set);
    if (!revision) continue;
    if (*revision >= max) {
      second = max;
      max = *revision;
    } else {
      second = std::max(second, *revision);
    }
  }
  return second;
}

bool IsExcludedFromCopy(std::string_view annotation) {
  return annotation == kLastAppliedAnnotation || annotation == kRevisionAnnotation ||
         annotation == kRevisionHistoryAnnotation || annotation == kDesiredReplicasAnnotation ||
         annotation == kMaxReplicasAnnotation || annotation == kRollbackToAnnotation;
}

bool UpdateNewReplicaSetAnnotations(const StringMap& deployment_annotations, int64_t new_revision,
                                    StringMap& annotations) {
  bool changed = false;
  for (const auto& [key, value] : deployment_annotations) {
    if (IsExcludedFromCopy(key)) continue;
    const std::string* current = annotations.Find(key);
    if (current && *current == value) continue;
    annotations.Set(key, value);
    changed = true;
  }

  const bool had_revision = annotations.Contains(kRevisionAnnotation);
  const std::string old_text(annotations.Get(kRevisionAnnotation));
  const std::optional<int64_t> old_revision = old_text.empty() ? 0 : ParseInt64(old_text);
  // An unreadable revision was set by a user, who must fix it. It is not overwritten.
  if (!old_revision) return false;
  // A revision larger than the others may stay: some of the others may have been deleted.
  if (*old_revision >= new_revision) return changed;
  annotations.Set(kRevisionAnnotation, std::to_string(new_revision));
  if (had_revision) AppendHistory(old_text, annotations);
  return true;
}

std::string PodTemplateHash(const RawJson& pod_template, std::optional<int32_t> collision_count) {
  uint64_t bits = WithoutHash(pod_template).SemanticHash();
  if (collision_count) {
    bits ^= (static_cast<uint64_t>(static_cast<uint32_t>(*collision_count)) + 1) *
            0x9e3779b97f4a7c15ULL;
  }
  // splitmix64: every bit of the sum affects every character.
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ULL;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebULL;
  bits ^= bits >> 31;
  std::string hash;
  for (size_t i = 0; i < kHashLength; ++i) {
    hash += kSafeAlphabet[bits % kSafeAlphabet.size()];
    bits /= kSafeAlphabet.size();
  }
  return hash;
}

std::string ReplicaSetName(std::string_view deployment, std::string_view hash) {
  std::string name(deployment.substr(0, kMaxNameLength - 1 - hash.size()));
  name += '-';
  name += hash;
  return name;
}

ReplicaSet MakeReplicaSet(const Deployment& deployment, int64_t revision, int64_t replicas) {
  const std::string hash =
      PodTemplateHash(deployment.spec.template_, deployment.status.collisionCount);
  ReplicaSet set;
  set.metadata.name = ReplicaSetName(deployment.metadata.name, hash);
  set.metadata.namespace_ = deployment.metadata.namespace_;
  set.metadata.labels = deployment.spec.template_.StringMapAt("/metadata/labels");
  set.metadata.labels.Set(kPodTemplateHashLabel, hash);
  set.metadata.ownerReferences = {ControllerReferenceTo(deployment)};
  set.spec.replicas = SaturatedInt32(replicas);
  set.spec.minReadySeconds = deployment.spec.minReadySeconds;
  set.spec.selector = deployment.spec.selector;
  set.spec.selector.matchLabels.Set(kPodTemplateHashLabel, hash);
  set.spec.template_ =
      deployment.spec.template_.With(kPodTemplateHashPointer, RawJson::String(hash));

  UpdateNewReplicaSetAnnotations(deployment.metadata.annotations, revision,
                                 set.metadata.annotations);
  SetReplicasAnnotations(deployment, set.metadata.annotations);
  return set;
}

}  // namespace capstan::deployment
