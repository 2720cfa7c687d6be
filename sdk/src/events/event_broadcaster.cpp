#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <capstan/events/event_recorder.h>
#include <capstan/log/log.h>
#include <capstan/runtime/mutex.h>

#include "events/event_correlator.h"
#include "events/event_queue.h"

namespace capstan {
namespace {

using api::core::v1::Event;
using api::core::v1::ObjectReference;

constexpr size_t kMostBytes = size_t{4} << 20;
constexpr size_t kMostAssistants = 3;
constexpr size_t kBacklogForAssistant = 16;  // for each
constexpr int kMostTries = 12;
constexpr Duration kBetweenTries = std::chrono::seconds(10);

// Whether a retry may succeed: the server did not respond, or not with its own Status.
bool MayRetry(const Status& status) {
  return status.IsTransport() || status.reason() == StatusReason::kMalformed;
}

NamespacedName NameOf(const Event& event) { return api::NameOf(event.metadata); }

void LogRejected(const Status& status, const Event& event) {
  const bool expected =
      status.IsAlreadyExists() || status.HasCause("NamespaceTerminating") || status.IsCanceled();
  if (!expected) {
    LogError(status, "Server rejected event (will not retry!)", {{"event", NameOf(event)}});
  } else if (LogEnabled(5)) {
    LogV(5, "Server rejected event (will not retry!)", {{"event", NameOf(event)}, {"err", status}});
  }
}

}  // namespace

struct EventBroadcaster::Impl {
  Impl(Client writer, Runtime& host_runtime, std::string host_name, MetricsRegistry& registry)
      : runtime(host_runtime),
        host(std::move(host_name)),
        client(writer.WithStop(abort.get_token())),
        background(client.InBackground()),
        correlator(host_runtime.clock()),
        dropped(registry.NewCounter(
            "capstan_events_dropped_total",
            "Number of events that were dropped because too many were waiting.")),
        changed(host_runtime.NewCondition()) {}

  Event NewEvent(std::string_view component, const ObjectReference& about, std::string_view type,
                 std::string_view reason, std::string message);
  bool Queue(Event event);
  void Run();
  void Assist(bool& works);
  void EngageAssistants();
  bool Await();
  bool WriteNext();
  std::optional<EventCorrelator::Observation> Correlate(const Event& event);
  void Write(const Event& event);
  Status Send(const EventCorrelator::Observation& observation);
  bool IsUrgent();

  // Helps the thread to empty a long queue, and ends then.
  struct Assistant {
    std::unique_ptr<Thread> thread;  // used by the thread, and by Stop after it
    bool works = false;              // guarded by the mutex
  };

  Runtime& runtime;
  const std::string host;
  std::stop_source stopping;  // ends the delays between attempts
  std::stop_source abort;     // ends the requests
  const Client client;
  const Client background;
  Mutex correlating;
  EventCorrelator correlator CAPSTAN_GUARDED_BY(correlating);
  const Counter dropped;
  const std::unique_ptr<Condition> changed;

  Mutex mutex;
  EventNames names CAPSTAN_GUARDED_BY(mutex);
  EventQueue queue CAPSTAN_GUARDED_BY(mutex){kMostBytes};
  bool stopped CAPSTAN_GUARDED_BY(mutex) = false;
  size_t working CAPSTAN_GUARDED_BY(mutex) = 1;  // the thread and its assistants
  std::array<Assistant, kMostAssistants> assistants;
  std::unique_ptr<Thread> thread;
};

Event EventBroadcaster::Impl::NewEvent(std::string_view component, const ObjectReference& about,
                                       std::string_view type, std::string_view reason,
                                       std::string message) {
  const WallTime now = runtime.clock().Now();
  const uint64_t salt = runtime.Random();
  Event event;
  event.metadata.namespace_ =
      about.namespace_.empty() ? InternedString("default") : about.namespace_;
  event.involvedObject = about;
  event.type = type;
  event.reason = reason;
  event.message = std::move(message);
  event.source = {component, host};
  event.reportingComponent = component;
  event.reportingInstance = host;
  event.firstTimestamp = api::Time(now);
  event.lastTimestamp = event.firstTimestamp;
  event.count = 1;
  MutexLock lock(mutex);
  event.metadata.name = names.Next(about.name, now, salt);
  return event;
}

bool EventBroadcaster::Impl::Queue(Event event) {
  MutexLock lock(mutex);
  if (stopped || !queue.Push(std::move(event))) return false;
  changed->NotifyAll();
  return true;
}

// Returns false when the thread has to end.
bool EventBroadcaster::Impl::Await() {
  MutexLock lock(mutex);
  while (!queue.HasNext() && !stopped) changed->Wait(mutex);
  return queue.HasNext() && !abort.stop_requested();
}

void EventBroadcaster::Impl::Run() {
  while (Await()) {
    EngageAssistants();
    (void)WriteNext();
  }
  MutexLock lock(mutex);
  --working;
  changed->NotifyAll();
}

void EventBroadcaster::Impl::EngageAssistants() {
  for (size_t i = 0; i < assistants.size(); ++i) {
    Assistant& assistant = assistants[i];
    {
      MutexLock lock(mutex);
      if (queue.size() < (i + 1) * kBacklogForAssistant) return;
      if (std::exchange(assistant.works, true)) continue;
      ++working;
    }
    assistant.thread = runtime.Start("events", [this, &assistant] { Assist(assistant.works); });
  }
}

void EventBroadcaster::Impl::Assist(bool& works) {
  while (!abort.stop_requested() && WriteNext()) {
  }
  MutexLock lock(mutex);
  works = false;
  --working;
  changed->NotifyAll();
}

// Returns false if there is no event to write now.
bool EventBroadcaster::Impl::WriteNext() {
  std::optional<EventQueue::Entry> entry;
  {
    MutexLock lock(mutex);
    entry = queue.Pop();
  }
  if (!entry) return false;
  Write(entry->event);
  MutexLock lock(mutex);
  queue.Done(*entry);
  changed->NotifyAll();  // more events about the object may be waiting
  return true;
}

std::optional<EventCorrelator::Observation> EventBroadcaster::Impl::Correlate(const Event& event) {
  MutexLock lock(correlating);
  return correlator.Correlate(event);
}

void EventBroadcaster::Impl::Write(const Event& event) {
  const auto observation = Correlate(event);
  if (!observation) return;
  for (int tries = 1;; ++tries) {
    const Status status = Send(*observation);
    if (status.ok()) return;
    if (!MayRetry(status)) return LogRejected(status, observation->event);
    if (tries == kMostTries || stopping.stop_requested()) {
      LogError(status, "Unable to write event (retry limit exceeded!)",
               {{"event", NameOf(observation->event)}});
      return;
    }
    LogError(status, "Unable to write event (may retry after sleeping)",
             {{"event", NameOf(observation->event)}});
    // The first delay is random, so that clients do not all return at once to a server that was
    // away.
    Duration pause = kBetweenTries;
    if (tries == 1) {
      pause = std::chrono::duration_cast<Duration>(pause * runtime.RandomFraction());
    }
    (void)runtime.SleepFor(pause, stopping.get_token());
  }
}

// Whether events compete with other requests: before many of them are lost, and at the end.
bool EventBroadcaster::Impl::IsUrgent() {
  MutexLock lock(mutex);
  return stopped || queue.bytes() > kMostBytes / 2;
}

Status EventBroadcaster::Impl::Send(const EventCorrelator::Observation& observation) {
  const Client& writer = IsUrgent() ? client : background;
  if (!observation.patch.empty()) {
    const auto patched =
        writer.Patch<Event>(NameOf(observation.event), PatchType::kMerge, observation.patch);
    // The Event may have expired meanwhile.
    if (!patched.status().IsNotFound()) return patched.status();
  }
  // Of the answer, only the status is of use.
  const TypeDescriptor& type = DescriptorOf<Event>();
  return writer
      .Create(type, observation.event.metadata.namespace_.view(), ToJson(observation.event), &type)
      .status();
}

EventBroadcaster::EventBroadcaster(Client client, Runtime& runtime, std::string host,
                                   MetricsRegistry& metrics)
    : impl_(std::make_unique<Impl>(std::move(client), runtime, std::move(host), metrics)) {
  impl_->thread = runtime.Start("events", [impl = impl_.get()] { impl->Run(); });
}

EventBroadcaster::~EventBroadcaster() { Stop(); }

void EventBroadcaster::Record(std::string_view component, const ObjectReference& about,
                              std::string_view type, std::string_view reason, std::string message) {
  if (LogEnabled(3)) {
    const NamespacedName object{about.namespace_.str(), about.name};
    LogV(3, "Event occurred",
         {{"object", object},
          {"fieldPath", about.fieldPath},
          {"kind", about.kind},
          {"apiVersion", about.apiVersion},
          {"type", type},
          {"reason", reason},
          {"message", message}});
  }
  if (!impl_->Queue(impl_->NewEvent(component, about, type, reason, std::move(message)))) {
    impl_->dropped.Increment();
  }
}

void EventBroadcaster::Stop(Duration grace) {
  const MonotonicTime deadline = impl_->runtime.Now() + grace;
  impl_->stopping.request_stop();
  {
    MutexLock lock(impl_->mutex);
    impl_->stopped = true;
    impl_->changed->NotifyAll();
    while (impl_->working > 0) {
      if (!impl_->changed->WaitUntil(impl_->mutex, deadline)) break;
    }
  }
  impl_->abort.request_stop();
  impl_->thread->Join();
  for (const Impl::Assistant& assistant : impl_->assistants) {
    if (assistant.thread) assistant.thread->Join();
  }
  MutexLock lock(impl_->mutex);
  impl_->dropped.Increment(static_cast<double>(impl_->queue.Clear()));
}

}  // namespace capstan
