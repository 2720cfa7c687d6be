#pragma once

/// EventRecorder: reports a controller's actions to users as core/v1 Events.
///
/// The rules are those of client-go's tools/record:
/// - Equal events become one Event; a patch increments its count.
/// - From the tenth message on, similar events are combined under a common message. Events are
///   similar if everything but the message is equal and each follows the previous one within ten
///   minutes.
/// - Events of one component about one object are rate limited: 25 events of a type, then one every
///   five minutes. Filtered events are counted: the next written event contains the total count.
///
/// Recording never blocks and never fails. Events are queued and written by a thread of the
/// broadcaster. They come after all other requests of the client (Client::InBackground): while
/// others are in progress they take a tenth of the rate, and the rest is written when these end. A
/// long queue is then written by four threads; events about one object keep their order.
///
/// The queue holds 4 MiB, which are some thousand events; capstan_events_dropped_total counts the
/// events dropped beyond that. Events in a queue that is more than half full no longer come last.
///
/// While the API server is unreachable, an event is tried twelve times, ten seconds apart. An event
/// that the server rejects is not retried. Each event is also logged, at verbosity 3.
///
/// Threads: all methods may be called from any thread. A recorder is a cheap value. Its broadcaster
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
  /// `host` is the events' source.host; it may be "".
  EventBroadcaster(Client client, Runtime& runtime, std::string host,
                   MetricsRegistry& metrics = DefaultMetrics());
  ~EventBroadcaster();  ///< calls Stop

  /// Queues an event.
  void Record(std::string_view component, const api::core::v1::ObjectReference& about,
              std::string_view type, std::string_view reason, std::string message);
  /// Writes the queued events for at most `grace`, without retries, and ends the thread. Events
  /// that are recorded afterwards are dropped.
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

/// Returns a reference to `object` with its kind and apiVersion.
CAPSTAN_EXPORT api::core::v1::ObjectReference ReferenceTo(const TypeDescriptor& type,
                                                          const void* object);

}  // namespace capstan
