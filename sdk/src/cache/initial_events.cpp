#include "cache/initial_events.h"

#include <map>
#include <set>
#include <utility>

#include <capstan/log/log.h>

namespace capstan {
namespace {

constexpr Duration kWarnAfter = std::chrono::seconds(10);
constexpr Duration kLongestPause = std::chrono::seconds(30);
// The client's own rate limit and a Retry-After of the server count too.
constexpr Duration kLongestOpening = std::chrono::seconds(60);

}  // namespace

void InitialObjects::Take(WatchEvent event) {
  if (event.type == WatchEvent::Type::kBookmark) return;
  if (event.type != WatchEvent::Type::kAdded || !changes_.empty()) {
    changes_.push_back(std::move(event));
  } else if (event.object) {
    objects.push_back(std::move(event.object));
  } else {
    unread.push_back(std::move(event.name));
  }
}

void InitialObjects::Finish() {
  if (changes_.empty()) return;
  std::map<NamespacedName, ObjectPtr> states;
  for (ObjectPtr& object : objects) {
    const NamespacedName name = api::NameOf(MetadataOf(type_, object.get()));
    states.insert_or_assign(name, std::move(object));
  }
  std::set<NamespacedName> unread_names(unread.begin(), unread.end());
  for (WatchEvent& event : changes_) {
    const NamespacedName name =
        event.object ? api::NameOf(MetadataOf(type_, event.object.get())) : event.name;
    if (event.type == WatchEvent::Type::kDeleted) {
      states.erase(name);
      unread_names.erase(name);
    } else if (event.object) {
      states.insert_or_assign(name, std::move(event.object));
      unread_names.erase(name);
    } else if (!states.contains(name)) {
      unread_names.insert(name);
    }
  }
  changes_.clear();
  objects.clear();
  for (auto& [name, object] : states) objects.push_back(std::move(object));
  unread.assign(unread_names.begin(), unread_names.end());
}

InitialEventsTimer::InitialEventsTimer(Runtime& runtime, std::string resource,
                                       std::stop_source watch)
    : runtime_(runtime),
      resource_(std::move(resource)),
      watch_(std::move(watch)),
      last_(runtime.Now()),
      thread_(runtime.Start("initial-events", [this] { Run(); })) {}

InitialEventsTimer::~InitialEventsTimer() { Expired(); }

bool InitialEventsTimer::Expired() {
  end_.request_stop();
  thread_->Join();
  return expired_;
}

void InitialEventsTimer::Progress() {
  last_ = runtime_.Now();
  is_open_ = true;
}

void InitialEventsTimer::Run() {
  while (runtime_.SleepFor(kWarnAfter, end_.get_token())) {
    const Duration pause = runtime_.Now() - last_.load();
    if (pause < kWarnAfter) continue;
    LogWarning("Event bookmark expired",
               {{"type", resource_},
                {"secondsWithoutObject",
                 std::chrono::duration_cast<std::chrono::seconds>(pause).count()}});
    if (pause < (is_open_ ? kLongestPause : kLongestOpening)) continue;
    expired_ = true;
    watch_.request_stop();
    return;
  }
}

}  // namespace capstan
