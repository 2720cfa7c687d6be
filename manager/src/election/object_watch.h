#pragma once

/// ObjectWatch: watches one object by its name.
///
/// It only watches, so that a role can grant the access by resourceName. It never reads the object.
/// The caller reads the object and passes the resourceVersion to follow from. A stream that ends or
/// breaks is resumed from the last resourceVersion. If this fails (the server refuses the watch, or
/// the resourceVersion is too old), the ObjectWatch reports that it no longer follows the object.
/// It then backs off, longer after each failure in a row, and waits for the next Follow.
///
/// Threads: the ObjectWatch starts its own thread, which calls the listener with no lock held.
/// Follow and EndStream may be called from any thread. The destructor joins the thread, so the
/// listener must not call it.

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include <capstan/api/object.h>
#include <capstan/client/client.h>
#include <capstan/runtime/runtime.h>

namespace capstan::manager {

class ObjectWatch {
 public:
  struct Listener {
    /// A new state of the object. Null means that `version` deleted it.
    std::function<void(ObjectPtr object, const std::string& version)> on_change;
    /// Whether changes are reported from now on.
    std::function<void(bool following)> on_following;
  };

  /// `type` has static storage duration.
  ObjectWatch(const Client& client, const TypeDescriptor& type, NamespacedName name,
              Runtime& runtime, Listener listener);
  ~ObjectWatch();
  ObjectWatch(const ObjectWatch&) = delete;
  ObjectWatch& operator=(const ObjectWatch&) = delete;

  /// Follows the object from `version` on ("" if it does not exist), unless it is followed already.
  void Follow(const std::string& version);
  /// Ends the current stream. For a caller that saw a change which the stream did not report.
  void EndStream();

 private:
  void Run(const std::stop_token& stop);
  std::optional<std::string> AwaitVersion(const std::stop_token& stop);
  /// Returns when the stream cannot be resumed.
  Status FollowFrom(std::string version, const std::stop_token& stop);
  Status Receive(WatchStream& stream, std::string& version);
  std::stop_token NewStream();
  void SetFollowing(bool following);
  void ReportEnd(const Status& end, bool is_recoverable);

  const Client client_;
  const TypeDescriptor& type_;
  const NamespacedName name_;
  Runtime& runtime_;
  const Listener listener_;

  // Used only by the thread.
  int failures_ = 0;  ///< in a row
  bool reported_failure_ = false;
  /// The server no longer has changes as old as the last resourceVersion. The next watch starts
  /// with the current object.
  bool from_now_ = false;

  Mutex mutex_;
  std::unique_ptr<Condition> changed_;
  std::optional<std::string> version_ CAPSTAN_GUARDED_BY(mutex_);  ///< to follow from
  bool following_ CAPSTAN_GUARDED_BY(mutex_) = false;
  std::stop_source stream_stop_ CAPSTAN_GUARDED_BY(mutex_);

  std::stop_source stop_;
  std::unique_ptr<Thread> thread_;  // last: it uses all other members
};

}  // namespace capstan::manager
