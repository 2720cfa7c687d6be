#pragma once

/// EventRecorder: tells people what a controller did, as core/v1 Events.
///
/// As client-go's tools/record: equal events are counted up in one Event by a patch; from the tenth
/// message on, similar ones (all but the message equal, none ten minutes after the one before) are
/// combined under a common message; an object that is spoken of too often by one component (25
/// events of a type, then one in five minutes) is filtered. What is filtered counts: the next event
/// that is written tells how often it was seen.
///
/// Recording never blocks and never fails: events are queued (1000; more are dropped and counted by
/// capstan_events_dropped_total) and written by a thread of the broadcaster's. While the API server
/// cannot be reached, an event is tried twelve times, ten seconds apart; what the server refuses
/// is not tried again. Each is logged too, at verbosity 3.
///
/// Threads: all methods may be called from any thread. A recorder is a cheap value; its broadcaster
/// must outlive it.

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <capstan/api/core_v1.h>
#include <capstan/api/object.h>
#include <capstan/client/client.h>
#include <capstan/export.h>
#include <capstan/metrics/metrics.h>
#include <capstan/runtime/format.h>
#include <capstan/runtime/runtime.h>

namespace capstan {

class CAPSTAN_EXPORT EventBroadcaster {
 public:
  /// `host` is told as the events' source.host; it may be "".
  EventBroadcaster(Client client, Runtime& runtime, std::string host,
                   MetricsRegistry& metrics = DefaultMetrics());
  ~EventBroadcaster();  ///< as Stop

  /// Queues an event.
  void Record(std::string_view component, const api::core::v1::ObjectReference& about,
              std::string_view type, std::string_view reason, std::string message);
  /// Writes what is queued, at most for `grace` and without further tries, and ends the thread.
  /// Events that are recorded afterwards are dropped.
  void Stop(Duration grace = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

class CAPSTAN_EXPORT EventRecorder {
 public:
  EventRecorder(EventBroadcaster& broadcaster, std::string component)
      : broadcaster_(&broadcaster), component_(std::move(component)) {}

  template <ApiObject T, class... Args>
  void Normal(const T& about, std::string_view reason, std::string_view format,
              const Args&... args) const {
    Event(DescriptorOf<T>(), &about, "Normal", reason, format, {FormatArg(args)...});
  }
  template <ApiObject T, class... Args>
  void Warning(const T& about, std::string_view reason, std::string_view format,
               const Args&... args) const {
    Event(DescriptorOf<T>(), &about, "Warning", reason, format, {FormatArg(args)...});
  }
  void Event(const TypeDescriptor& type, const void* about, std::string_view event_type,
             std::string_view reason, std::string_view format,
             std::initializer_list<FormatArg> args) const;

 private:
  EventBroadcaster* broadcaster_;
  std::string component_;
};

/// A reference to `object`, with its kind and apiVersion.
CAPSTAN_EXPORT api::core::v1::ObjectReference ReferenceTo(const TypeDescriptor& type,
                                                          const void* object);

}  // namespace capstan
