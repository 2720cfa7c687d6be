#include <capstan/queue/work_queue.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <capstan/testing/simulated_runtime.h>

namespace capstan {
namespace {

using std::chrono::milliseconds;
using testing::SimulatedRuntime;

class WorkQueueFairnessTest : public ::testing::Test {
 protected:
  void AddMany(const std::string& in, int count) {
    for (int i = 0; i < count; ++i) queue.Add({in, std::to_string(i)});
  }
  // The number of other keys that are taken first.
  size_t TakenBefore(const NamespacedName& key) {
    size_t others = 0;
    while (queue.Length() > 0 && queue.Get() != key) ++others;
    return others;
  }

  SimulatedRuntime runtime;
  MetricsRegistry metrics;
  WorkQueue queue{"q", runtime, metrics};
};

TEST_F(WorkQueueFairnessTest, TenThousandKeysOfANamespaceDoNotDelayAnotherNamespace) {
  AddMany("large", 10'000);
  queue.Add({"small", "web"});
  EXPECT_LE(TakenBefore({"small", "web"}), 2u);
}

TEST_F(WorkQueueFairnessTest, ServesNamespacesInTurns) {
  for (int i = 0; i < 30; ++i) AddMany("ns-" + std::to_string(i), 20);
  queue.Add({"small", "web"});
  EXPECT_LE(TakenBefore({"small", "web"}), 30u + 30u / 3 + 1);
}

TEST_F(WorkQueueFairnessTest, ServesKeysAddedDuringProcessingFairly) {
  queue.Add({"small", "web"});
  ASSERT_EQ(queue.Get(), (NamespacedName{"small", "web"}));
  AddMany("large", 1000);
  queue.Add({"small", "web"});
  queue.Done({"small", "web"});
  EXPECT_LE(TakenBefore({"small", "web"}), 2u);
}

// Two new namespaces are added for each key that is taken. With turns alone the ring would grow,
// and the second key of a namespace would never be reached.
TEST_F(WorkQueueFairnessTest, NewNamespacesDoNotDelayAKeyForever) {
  AddMany("old", 10);
  size_t taken = 0;
  size_t of_old = 0;
  for (int next = 0; of_old < 10 && taken < 1000; next += 2) {
    queue.Add({"new-" + std::to_string(next), "web"});
    queue.Add({"new-" + std::to_string(next + 1), "web"});
    of_old += queue.Get()->namespace_ == "old" ? 1 : 0;
    ++taken;
  }
  EXPECT_EQ(of_old, 10u);
  EXPECT_LE(taken, 4u * 9 + 3 + 1) << "the last had 9 others before it";
}

// A simple model of the queue's contract: which keys may be taken, and by when each must be.
class Model {
 public:
  void Add(const NamespacedName& key) {
    if (!wanted_.insert(key).second || working_.contains(key)) return;
    GetReady(key);
  }
  void AddAt(const NamespacedName& key, MonotonicTime at) {
    const auto known = std::find_if(delayed_.begin(), delayed_.end(),
                                    [&](const auto& entry) { return entry.second == key; });
    if (known != delayed_.end()) {
      if (known->first <= at) return;
      delayed_.erase(known);
    }
    delayed_.emplace(at, key);  // after those with the same time
  }
  void AddDue(MonotonicTime now) {
    while (!delayed_.empty() && delayed_.begin()->first <= now) {
      const NamespacedName key = delayed_.begin()->second;
      delayed_.erase(delayed_.begin());
      Add(key);
    }
  }
  void Take(const NamespacedName& key) {
    std::deque<NamespacedName>& lane = ready_[key.namespace_];
    ASSERT_FALSE(lane.empty()) << key.ToString();
    EXPECT_EQ(lane.front(), key) << "the order within the namespace";
    lane.pop_front();
    if (lane.empty()) ready_.erase(key.namespace_);
    EXPECT_LE(taken_, latest_.at(key)) << key.ToString() << " came late";
    latest_.erase(key);
    ++taken_;
    wanted_.erase(key);
    EXPECT_TRUE(working_.insert(key).second) << key.ToString() << " has two workers";
  }
  void Done(const NamespacedName& key) {
    working_.erase(key);
    if (wanted_.contains(key)) GetReady(key);
  }

  size_t ready() const { return latest_.size(); }
  const std::set<NamespacedName>& working() const { return working_; }

 private:
  void GetReady(const NamespacedName& key) {
    size_t bound = 4 * latest_.size() + 3;
    if (!ready_.contains(key.namespace_)) {
      const size_t others = ready_.size();
      bound = std::min(bound, others + others / 3 + 1);
    }
    latest_[key] = taken_ + bound;
    ready_[key.namespace_].push_back(key);
  }

  std::map<std::string, std::deque<NamespacedName>> ready_;  // by namespace
  std::map<NamespacedName, size_t> latest_;  // by how many taken keys it must be taken
  std::set<NamespacedName> wanted_;
  std::set<NamespacedName> working_;
  std::multimap<MonotonicTime, NamespacedName> delayed_;
  size_t taken_ = 0;
};

// Random additions, delays, work and time. The first namespaces get most of the keys.
class RandomWork {
 public:
  explicit RandomWork(unsigned seed) : random_(seed), most_keys_(Below(60) + 1) {}

  void Step() {
    const size_t choice = Below(10);
    if (choice < 4) {
      const NamespacedName key = AnyKey();
      queue_.Add(key);
      model_.Add(key);
    } else if (choice == 4) {
      const NamespacedName key = AnyKey();
      const Duration delay = milliseconds(Below(50));
      queue_.AddAfter(key, delay);
      if (delay == Duration::zero()) {
        model_.Add(key);
      } else {
        model_.AddAt(key, runtime_.Now() + delay);
      }
    } else if (choice == 5) {
      runtime_.AdvanceBy(milliseconds(Below(20)));
      model_.AddDue(runtime_.Now());
    } else if (choice < 8) {
      Take();
    } else if (!model_.working().empty()) {
      const auto key = *std::next(model_.working().begin(),
                                  static_cast<std::ptrdiff_t>(Below(model_.working().size())));
      queue_.Done(key);
      model_.Done(key);
    }
    ASSERT_EQ(queue_.Length(), model_.ready());
  }

  void Drain() {
    runtime_.AdvanceBy(milliseconds(100));
    model_.AddDue(runtime_.Now());
    while (model_.ready() > 0 && !::testing::Test::HasFailure()) Take();
    EXPECT_EQ(queue_.Length(), 0u);
  }

 private:
  size_t Below(size_t bound) { return random_() % bound; }
  NamespacedName AnyKey() {
    const size_t lane = std::min(Below(12), Below(12));
    return {"ns-" + std::to_string(lane), std::to_string(Below(most_keys_ / (lane + 1) + 1))};
  }
  void Take() {
    if (model_.ready() == 0) return;
    const std::optional<NamespacedName> key = queue_.Get();
    ASSERT_TRUE(key);
    model_.Take(*key);
  }

  std::mt19937 random_;
  const size_t most_keys_;
  SimulatedRuntime runtime_;
  MetricsRegistry metrics_;
  WorkQueue queue_{"q", runtime_, metrics_};
  Model model_;
};

TEST(WorkQueueFairness, HoldsItsInvariantsUnderRandomOperations) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    RandomWork work(seed);
    for (int step = 0; step < 500 && !::testing::Test::HasFailure(); ++step) work.Step();
    work.Drain();
    ASSERT_FALSE(::testing::Test::HasFailure());
  }
}

}  // namespace
}  // namespace capstan
