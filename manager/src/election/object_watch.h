#pragma once

/// ObjectWatch: what becomes of one object, by a watch of its name.
///
/// It asks for a watch only, so that a role can grant it by resourceName. It never reads: whoever
/// has read the object says from which resourceVersion on to follow it. A stream that ends or tears
/// is taken up again where it was. Where that does not help (the server refuses the watch, or knows
/// that version no more) it says that it follows no longer, and waits to be told a version anew,
/// and longer each time.
///
/// Threads: a thread of its own calls the listener, with no lock held; Follow and Distrust from
/// any thread. The destructor ends the thread, and so must not be called by the listener.

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
    /// A state of the object; null: `version` deleted it.
    std::function<void(ObjectPtr object, const std::string& version)> on_change;
    /// Whether changes are told from now on.
    std::function<void(bool following)> on_following;
  };

  /// `type` is of static storage.
  ObjectWatch(const Client& client, const TypeDescriptor& type, NamespacedName name,
              Runtime& runtime, Listener listener);
  ~ObjectWatch();
  ObjectWatch(const ObjectWatch&) = delete;
  ObjectWatch& operator=(const ObjectWatch&) = delete;

  /// The object is known as of `version` ("": there is none); follow it from there, unless it is
  /// followed already.
  void Follow(const std::string& version);
  /// The object has changed and nothing was told of it: the stream is not to be waited for.
  void Distrust();

 private:
  void Run(const std::stop_token& stop);
  std::optional<std::string> AwaitVersion(const std::stop_token& stop);
  /// Returns when it makes no sense to take the stream up again.
  Status FollowFrom(std::string version, const std::stop_token& stop);
  Status Receive(WatchStream& stream, std::string& version);
  std::stop_token NewStream();
  void SetFollowing(bool following);
  void ReportEnd(const Status& end, bool is_mended);

  const Client client_;
  const TypeDescriptor& type_;
  const NamespacedName name_;
  Runtime& runtime_;
  const Listener listener_;

  // Of the thread.
  int failures_ = 0;  ///< in a row
  bool told_failure_ = false;
  /// The server remembers no changes as old as the object: it is to begin with the object as it is.
  bool from_now_ = false;

  Mutex mutex_;
  std::unique_ptr<Condition> changed_;
  std::optional<std::string> version_ CAPSTAN_GUARDED_BY(mutex_);  ///< to follow from
  bool following_ CAPSTAN_GUARDED_BY(mutex_) = false;
  std::stop_source stream_stop_ CAPSTAN_GUARDED_BY(mutex_);

  std::stop_source stop_;
  std::unique_ptr<Thread> thread_;  // last: it uses all the others
};

}  // namespace capstan::manager
