#include <capstan/controller/live_versions.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include <capstan/log/log.h>
#include <capstan/runtime/mutex.h>

#include "cache/backoff.h"
#include "controller/version_number.h"

namespace capstan {
namespace {

// The server sends a bookmark two seconds before the end of a watch, if that is in the future.
constexpr Duration kShortWatch = std::chrono::seconds(3);

}  // namespace

struct LiveVersions::Impl {
  struct Entry {
    std::optional<uint64_t> needed;
    std::unique_ptr<Thread> thread;
  };

  void Run(SharedInformer& informer);
  std::optional<uint64_t> ReadVersion(const SharedInformer& informer);
  std::optional<uint64_t> LastChange(const SharedInformer& informer, uint64_t live);
  void SetNeeded(const SharedInformer& informer, uint64_t version) {
    MutexLock lock(mutex);
    entries[&informer].needed = version;
  }

  std::stop_source stop;
  const Client client;
  Runtime& runtime;
  mutable Mutex mutex;
  std::map<const SharedInformer*, Entry> entries CAPSTAN_GUARDED_BY(mutex);

  Impl(const Client& c, Runtime& r) : client(c.WithStop(stop.get_token())), runtime(r) {}
};

void LiveVersions::Impl::Run(SharedInformer& informer) {
  const std::optional<uint64_t> before = VersionNumber(informer.LastSyncResourceVersion());
  const std::optional<uint64_t> live = ReadVersion(informer);
  // A server that was restored to an older state: the cache shows a different history.
  if (!live || (before && *before > *live)) return;
  SetNeeded(informer, *live);
  // A cache that is being filled was read from the server at about the same time. What it lacks
  // soon arrives; if it lacks nothing, a bookmark does.
  if (!before) return;
  if (const auto last_change = LastChange(informer, *live)) SetNeeded(informer, *last_change);
}

// Tries again until it succeeds. Until then, whoever writes reads live.
std::optional<uint64_t> LiveVersions::Impl::ReadVersion(const SharedInformer& informer) {
  Backoff backoff(runtime);
  do {
    const Result<ObjectList> list =
        client.List(informer.type(), informer.scope().namespace_, {.limit = 1});
    if (list) return VersionNumber(list->resource_version);
    LogV(2, "Cannot read the server's resourceVersion",
         {{"type", informer.type().name}, {"err", list.status()}});
  } while (runtime.SleepFor(backoff.Next(), stop.get_token()));
  return std::nullopt;
}

// Returns the last change up to a bookmark that is not older than `live`, if there is such a
// bookmark.
std::optional<uint64_t> LiveVersions::Impl::LastChange(const SharedInformer& informer,
                                                       uint64_t live) {
  std::optional<uint64_t> last = VersionNumber(informer.LastSyncResourceVersion());
  if (!last || *last >= live) return std::nullopt;
  WatchOptions options;
  options.label_selector = informer.scope().label_selector;
  options.field_selector = informer.scope().field_selector;
  options.resource_version = std::to_string(*last);
  options.timeout = kShortWatch;
  auto stream = client.Watch(informer.type(), informer.scope().namespace_, options);
  if (!stream) return std::nullopt;
  while (*last < live) {
    const Result<std::optional<WatchEvent>> event = (*stream)->Next();
    if (!event || !*event) return std::nullopt;
    const std::optional<uint64_t> version = VersionNumber((*event)->resource_version);
    if (!version) return std::nullopt;
    if ((*event)->type != WatchEvent::Type::kBookmark) {
      last = version;
    } else if (*version >= live) {
      return last;
    }
  }
  return std::nullopt;
}

LiveVersions::LiveVersions(const Client& client, Runtime& runtime)
    : impl_(std::make_unique<Impl>(client, runtime)) {}

LiveVersions::~LiveVersions() {
  impl_->stop.request_stop();
  std::vector<std::unique_ptr<Thread>> threads;  // joined without the lock
  {
    MutexLock lock(impl_->mutex);
    for (auto& [informer, entry] : impl_->entries) threads.push_back(std::move(entry.thread));
  }
}

void LiveVersions::Learn(SharedInformer& informer) {
  {
    MutexLock lock(impl_->mutex);
    if (!impl_->entries.try_emplace(&informer).second) return;
  }
  // Started without the lock, because it may run at once.
  auto thread = impl_->runtime.Start("live-version", [this, &informer] { impl_->Run(informer); });
  MutexLock lock(impl_->mutex);
  impl_->entries[&informer].thread = std::move(thread);
}

std::optional<uint64_t> LiveVersions::Needed(const SharedInformer& informer) const {
  MutexLock lock(impl_->mutex);
  const auto found = impl_->entries.find(&informer);
  return found == impl_->entries.end() ? std::nullopt : found->second.needed;
}

}  // namespace capstan
