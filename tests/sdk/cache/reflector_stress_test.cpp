// Free-threaded, so that the thread sanitizer finds races that the simulated runtime hides.

#include <capstan/cache/reflector.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "pods.h"
#include "support/fast_clock_runtime.h"

#include <capstan/cache/delta_fifo.h>
#include <capstan/cache/indexer.h>
#include <capstan/runtime/format.h>

namespace capstan {
namespace {

using testing::AsPod;
using testing::Pod;
using testing::PodJson;
using testing::PodListJson;

// Pods that are changed by writers, and the changes in order.
class PodServer {
 public:
  explicit PodServer(Runtime& runtime) : changed_(runtime.NewCondition()) {}

  void Put(const std::string& name) {
    MutexLock lock(mutex_);
    const std::string json = PodJson(name, std::to_string(events_.size() + 1));
    const bool is_new = pods_.insert_or_assign(name, json).second;
    Publish(is_new ? "ADDED" : "MODIFIED", json);
  }
  void Delete(const std::string& name) {
    MutexLock lock(mutex_);
    if (pods_.erase(name) == 0) return;
    Publish("DELETED", PodJson(name, std::to_string(events_.size() + 1)));
  }

  std::string List() const {
    MutexLock lock(mutex_);
    std::vector<std::string> items;
    for (const auto& [name, json] : pods_) items.push_back(json);
    return PodListJson(std::to_string(events_.size()), items);
  }
  // The initial events of a watch, and the version that they lead to.
  std::string InitialEvents(size_t& version) const {
    MutexLock lock(mutex_);
    version = events_.size();
    std::string text;
    for (const auto& [name, json] : pods_) {
      text += Format("{{\"type\":\"ADDED\",\"object\":{}}}\n", json);
    }
    return text + Format(R"({{"type":"BOOKMARK","object":{{"metadata":{{"resourceVersion":"{}",)"
                         R"("annotations":{{"k8s.io/initial-events-end":"true"}}}}}}}})"
                         "\n",
                         version);
  }
  // Waits for the event after `version`.
  std::optional<std::string> Next(size_t version, const std::stop_token& stop) {
    const StopWaker waker(stop, mutex_, *changed_);
    MutexLock lock(mutex_);
    while (version >= events_.size()) {
      if (stop.stop_requested()) return std::nullopt;
      changed_->Wait(mutex_);
    }
    return events_[version];
  }
  size_t version() const {
    MutexLock lock(mutex_);
    return events_.size();
  }
  // "name@version" of each pod, sorted.
  std::vector<std::string> Versions() const {
    MutexLock lock(mutex_);
    std::vector<std::string> texts;
    for (const auto& [name, json] : pods_) {
      const auto pod = FromJson<Pod>(json);
      texts.push_back(name + "@" + pod->metadata.resourceVersion);
    }
    std::ranges::sort(texts);
    return texts;
  }

 private:
  void Publish(std::string_view type, const std::string& json) CAPSTAN_REQUIRES(mutex_) {
    events_.push_back(Format("{{\"type\":\"{}\",\"object\":{}}}\n", type, json));
    changed_->NotifyAll();
  }

  const std::unique_ptr<Condition> changed_;
  mutable Mutex mutex_;
  std::map<std::string, std::string> pods_ CAPSTAN_GUARDED_BY(mutex_);
  std::vector<std::string> events_ CAPSTAN_GUARDED_BY(mutex_);
};

enum class End { kInGoodOrder, kTorn, kGone };

class Answer final : public HttpResponse {
 public:
  explicit Answer(std::string body) : text_(std::move(body)) {}
  // A watch from `version` that ends after `events` events, not counting those in `text`.
  Answer(PodServer& server, size_t version, size_t events, End end, std::stop_token stop,
         std::string text)
      : server_(&server),
        version_(version),
        left_(events),
        end_(end),
        stop_(std::move(stop)),
        text_(std::move(text)) {}

  int status() const override { return 200; }
  std::string Header(std::string_view) const override { return "application/json"; }
  Result<size_t> Read(char* buffer, size_t size) override {
    if (read_ == text_.size() && server_) {
      if (Status status = Refill(); !status.ok()) return status;
    }
    const size_t count = std::min(size, text_.size() - read_);
    std::memcpy(buffer, text_.data() + read_, count);
    read_ += count;
    return count;
  }

 private:
  Status Refill() {
    text_.clear();
    read_ = 0;
    if (left_ == 0) {
      if (end_ == End::kTorn) return {StatusReason::kTransport, "connection reset by peer"};
      if (end_ == End::kGone) {
        text_ = R"({"type":"ERROR","object":{"kind":"Status","status":"Failure","code":410,)"
                R"("reason":"Expired"}})"
                "\n";
        end_ = End::kInGoodOrder;
      }
      return Status::Ok();
    }
    std::optional<std::string> event = server_->Next(version_++, stop_);
    if (!event) return Status::Canceled();
    --left_;
    text_ = *std::move(event);
    // The stream breaks within its last event.
    if (left_ == 0 && end_ == End::kTorn) text_.resize(text_.size() / 2);
    return Status::Ok();
  }

  PodServer* const server_ = nullptr;
  size_t version_ = 0;
  size_t left_ = 0;
  End end_ = End::kInGoodOrder;
  const std::stop_token stop_;
  std::string text_;
  size_t read_ = 0;
};

// A transport whose watches end after some hundred events, in each possible way in turn.
class PodTransport final : public Transport {
 public:
  explicit PodTransport(PodServer& server) : server_(server) {}

  Result<std::unique_ptr<HttpResponse>> RoundTrip(const HttpRequest& request,
                                                  std::stop_token stop) override {
    constexpr std::string_view kVersion = "&resourceVersion=";
    if (request.target.find("watch=true") == std::string::npos) {
      return std::unique_ptr<HttpResponse>(std::make_unique<Answer>(server_.List()));
    }
    size_t version = 0;
    std::string initial;
    if (request.target.find("sendInitialEvents=true") != std::string::npos) {
      // Every third time as a server that does not support it.
      if (watch_lists_++ % 3 == 1) {
        return Status(StatusReason::kNotAcceptable, "no lists by watch");
      }
      initial = server_.InitialEvents(version);
    } else {
      const char* digits = request.target.c_str() + request.target.find(kVersion) + kVersion.size();
      std::from_chars(digits, request.target.c_str() + request.target.size(), version);
    }
    constexpr std::array kEnds{End::kInGoodOrder, End::kTorn, End::kTorn, End::kGone};
    const size_t number = watches_++;
    return std::unique_ptr<HttpResponse>(std::make_unique<Answer>(
        server_, version, 150 + 50 * (number % 5), kEnds[number % kEnds.size()], std::move(stop),
        std::move(initial)));
  }
  size_t watches() const { return watches_; }

 private:
  PodServer& server_;
  std::atomic<size_t> watches_ = 0;
  std::atomic<size_t> watch_lists_ = 0;
};

constexpr size_t kWatches = 5;

TEST(ReflectorStress, TheStoreConvergesOverEndedAndBrokenWatches) {
  testing::FastClockRuntime runtime(1000);
  PodServer server(runtime);
  const auto transport = std::make_shared<PodTransport>(server);
  const Client client(transport, runtime, {.qps = 0});
  Indexer store(DescriptorOf<Pod>());
  DeltaFifo fifo(DescriptorOf<Pod>(), store, runtime);
  Reflector reflector(client, DescriptorOf<Pod>(), {}, fifo, runtime, std::chrono::seconds(1));
  std::stop_source stop;

  std::vector<std::thread> threads;
  threads.emplace_back([&] { reflector.Run(stop.get_token()); });
  threads.emplace_back([&] {
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
  threads.emplace_back([&] {
    while (!stop.stop_requested()) {
      for (const ObjectPtr& object : store.List()) ASSERT_EQ(AsPod(object).metadata.name[0], 'p');
      (void)reflector.LastSyncResourceVersion();
      (void)fifo.HasSynced();
      std::this_thread::yield();
    }
  });

  std::vector<std::thread> writers;
  for (unsigned seed = 0; seed < 2; ++seed) {
    writers.emplace_back([&server, &transport, seed] {
      // Continues, if necessary, until the reflector has opened several watches.
      constexpr unsigned kSteps = 1500;
      constexpr unsigned kMostSteps = 10'000'000;
      for (unsigned step = 0;
           step < kSteps || (transport->watches() < kWatches && step < kMostSteps); ++step) {
        if (step >= kSteps) std::this_thread::yield();
        const std::string name = Format("pod-{}", (step * 7 + seed * 3) % 40);
        if (step % 5 == 4) {
          server.Delete(name);
        } else {
          server.Put(name);
        }
      }
    });
  }
  for (std::thread& writer : writers) writer.join();

  const std::string last = std::to_string(server.version());
  const MonotonicTime limit = SystemRuntime().Now() + std::chrono::minutes(1);
  while (fifo.AppliedResourceVersion() != last && SystemRuntime().Now() < limit) {
    std::this_thread::yield();
  }
  stop.request_stop();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(fifo.AppliedResourceVersion(), last);
  EXPECT_EQ(testing::Versions(store.List()), server.Versions());
  EXPECT_GE(transport->watches(), kWatches);
}

}  // namespace
}  // namespace capstan
