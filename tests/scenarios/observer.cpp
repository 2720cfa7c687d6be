#include "observer.h"

#include <chrono>
#include <set>
#include <utility>

namespace capstan::scenarios {
namespace {

template <class T>
std::vector<std::shared_ptr<const T>> Typed(const Objects& objects) {
  std::vector<std::shared_ptr<const T>> typed;
  typed.reserve(objects.size());
  for (const auto& [name, object] : objects) {
    typed.push_back(std::static_pointer_cast<const T>(object));
  }
  return typed;
}

}  // namespace

Observer::Observer(World& world) : world_(world) {
  const Client& client = world.client();
  Runtime& runtime = world.runtime();
  const std::string& namespace_name = world.namespace_name();
  deployments_.emplace(client, runtime, DescriptorOf<Deployment>(), namespace_name,
                       [this](const Objects& objects) {
                         Record([&](View& view) {
                           auto deployments = Typed<Deployment>(objects);
                           view.deployment = deployments.empty() ? nullptr : deployments.front();
                         });
                       });
  replica_sets_.emplace(
      client, runtime, DescriptorOf<ReplicaSet>(), namespace_name, [this](const Objects& objects) {
        Record([&](View& view) { view.replica_sets = Typed<ReplicaSet>(objects); });
      });
  pods_.emplace(client, runtime, DescriptorOf<Pod>(), namespace_name,
                [this](const Objects& objects) {
                  Record([&](View& view) { view.pods = Typed<Pod>(objects); });
                });
}

Observer::~Observer() = default;

template <class Change>
void Observer::Record(Change change) {
  MutexLock lock(mutex_);
  View view = history_.back();
  change(view);
  history_.push_back(std::move(view));
}

View Observer::Now() const {
  MutexLock lock(mutex_);
  return history_.back();
}

std::vector<View> Observer::Since(size_t mark) const {
  MutexLock lock(mutex_);
  return {history_.begin() + static_cast<std::ptrdiff_t>(mark), history_.end()};
}

size_t Observer::Mark() const {
  MutexLock lock(mutex_);
  return history_.size() - 1;
}

bool Observer::Holds(const Predicate& is, size_t& next) const {
  for (;; ++next) {
    View view;
    {
      MutexLock lock(mutex_);
      if (next == history_.size()) return false;
      view = history_[next];
    }
    if (is(view)) return true;
  }
}

::testing::AssertionResult Observer::Eventually(std::string_view what, const Predicate& is,
                                                Duration timeout) const {
  size_t next = Mark();
  if (world_.Until([&] { return Holds(is, next); }, timeout)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << "not within " << std::chrono::duration_cast<Seconds>(timeout).count() << " s: " << what
         << "; the last state is\n"
         << Now().ToString();
}

::testing::AssertionResult Observer::Always(std::string_view what, size_t mark,
                                            const Predicate& is) const {
  const std::vector<View> history = Since(mark);
  for (size_t i = 0; i < history.size(); ++i) {
    if (is(history[i])) continue;
    return ::testing::AssertionFailure()
           << "not always: " << what << "; not in state " << i << " of " << history.size() << ",\n"
           << history[i].ToString() << "before which came\n"
           << (i > 0 ? history[i - 1].ToString() : "");
  }
  return ::testing::AssertionSuccess();
}

size_t Observer::PodsSince(size_t mark) const {
  std::set<Uid> pods;
  for (const View& view : Since(mark)) {
    for (const auto& pod : view.pods) pods.insert(pod->metadata.uid);
  }
  return pods.size();
}

}  // namespace capstan::scenarios
