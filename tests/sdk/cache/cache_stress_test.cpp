// Free-threaded, so that the thread sanitizer finds races that the simulated runtime hides.

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <random>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "pods.h"

#include <capstan/cache/delta_fifo.h>
#include <capstan/cache/indexer.h>
#include <capstan/runtime/runtime.h>

namespace capstan {
namespace {

using testing::AsPod;
using testing::kOwnerUid;
using testing::NewPod;
using testing::Pod;

std::string PodName(unsigned number) { return "a-pod-with-quite-a-name-" + std::to_string(number); }

TEST(IndexerStress, SupportsConcurrentReadersWritersAndNewIndices) {
  Indexer indexer(DescriptorOf<Pod>());
  std::atomic<bool> done = false;
  std::vector<std::thread> readers, writers;
  for (unsigned seed = 0; seed < 2; ++seed) {
    writers.emplace_back([&indexer, seed] {
      std::mt19937 random(seed);
      for (int step = 0; step < 10'000; ++step) {
        const std::string name = PodName(random() % 200);
        if (random() % 3 == 0) {
          indexer.Delete({"ns", name});
        } else {
          indexer.Put(NewPod("ns", name, std::to_string(step), step % 2 == 0 ? kOwnerUid : ""));
        }
      }
    });
    readers.emplace_back([&indexer, &done] {
      while (!done) {
        for (const ObjectPtr& object : indexer.ByIndex(kOwnerUidIndex, kOwnerUid)) {
          ASSERT_TRUE(api::ControllerOf(AsPod(object).metadata));
        }
        for (const ObjectPtr& object : indexer.ByIndex(kOrphanIndex, "ns")) {
          ASSERT_FALSE(api::ControllerOf(AsPod(object).metadata));
        }
        const ObjectPtr pod = indexer.Get("ns", PodName(7));
        ASSERT_TRUE(!pod || AsPod(pod).metadata.name == PodName(7));
      }
    });
  }
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(indexer
                    .AddIndex("name" + std::to_string(i),
                              [](const void* object, std::vector<std::string>& keys) {
                                keys.push_back(static_cast<const Pod*>(object)->metadata.name);
                              })
                    .ok());
  }
  for (std::thread& writer : writers) writer.join();
  done = true;
  for (std::thread& reader : readers) reader.join();

  EXPECT_EQ(indexer.List().size(), indexer.size());
  EXPECT_EQ(indexer.ByIndex(kOwnerUidIndex, kOwnerUid).size() +
                indexer.ByIndex(kOrphanIndex, "ns").size(),
            indexer.size());
  for (const ObjectPtr& object : indexer.List()) {
    for (int i = 0; i < 5; ++i) {
      const auto found = indexer.ByIndex("name" + std::to_string(i), AsPod(object).metadata.name);
      ASSERT_EQ(found.size(), 1u);
      EXPECT_EQ(found[0], object);
    }
  }
}

// The consumer's store ends equal to the producer's, whatever was coalesced.
TEST(DeltaFifoStress, TheConsumerReachesTheStateOfTheProducers) {
  Indexer store(DescriptorOf<Pod>());
  DeltaFifo fifo(DescriptorOf<Pod>(), store, SystemRuntime());
  std::stop_source stop;
  std::thread consumer([&] {
    while (auto deltas = fifo.Pop(stop.get_token())) {
      for (const Delta& delta : *deltas) {
        if (delta.type == Delta::Type::kDeleted) {
          store.Delete(api::NameOf(AsPod(delta.object).metadata));
        } else {
          store.Put(delta.object);
        }
      }
      fifo.Done();
    }
  });
  std::atomic<bool> done = false;
  std::thread resyncer([&] {
    while (!done) {
      fifo.Resync();
      fifo.Wake();
      (void)fifo.HasSynced();
      (void)fifo.AppliedResourceVersion();
      std::this_thread::yield();
    }
  });

  std::map<std::string, ObjectPtr> truth;
  std::mt19937 random(3);
  for (int step = 1; step <= 20'000; ++step) {
    const std::string name = PodName(random() % 50);
    const ObjectPtr pod = NewPod("ns", name, std::to_string(step));
    if (step % 500 == 0) {
      std::vector<ObjectPtr> list;
      std::erase_if(truth, [&](const auto&) { return random() % 4 == 0; });
      for (const auto& [key, object] : truth) list.push_back(object);
      fifo.Replace(std::move(list), {}, std::to_string(step));
    } else if (random() % 3 == 0) {
      truth.erase(name);
      fifo.Delete(pod);
    } else if (truth.insert_or_assign(name, pod).second) {
      fifo.Add(pod);
    } else {
      fifo.Update(pod);
    }
    fifo.SetResourceVersion(std::to_string(step));
  }
  done = true;
  resyncer.join();
  while (fifo.AppliedResourceVersion() != "20000") std::this_thread::yield();
  stop.request_stop();
  consumer.join();

  EXPECT_TRUE(fifo.HasSynced());
  EXPECT_EQ(store.size(), truth.size());
  for (const auto& [name, object] : truth) EXPECT_EQ(store.Get("ns", name), object);
}

}  // namespace
}  // namespace capstan
