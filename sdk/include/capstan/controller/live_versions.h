#pragma once

/// LiveVersions: which resourceVersion a cache must have applied to show everything that other
/// managers wrote before this one became the leader.
///
/// For each informer, one consistent read (a list of one object without a resourceVersion) tells
/// the server's version at a moment in this term. A cache that has applied that version or a newer
/// one, by an event or a bookmark, shows all earlier writes of that type. resourceVersions of one
/// type can be compared (KEP-5504); if they are not numbers, nothing is learned.
///
/// The server's version moves with writes of other types too, and a watch without events is told so
/// only about once a minute. So a second watch, of three seconds, begins at the version that the
/// cache has applied. Its events are the changes that the cache may lack. The server sends a
/// bookmark before the end of each watch. If the bookmark is not older than the version read, the
/// last change before it, or the version at which the watch began, is the one that the cache needs.
/// For a cache that was not filled when Learn was called, this watch is left out.
///
/// Whoever writes before the cache has applied the needed version must read live.
///
/// Threads: all methods may be called from any thread.

#include <cstdint>
#include <memory>
#include <optional>

#include <capstan/cache/shared_informer.h>
#include <capstan/client/client.h>
#include <capstan/export.h>
#include <capstan/runtime/runtime.h>

namespace capstan {

class CAPSTAN_EXPORT LiveVersions {
 public:
  /// `runtime` must outlive this object, and so must the informers given to Learn.
  LiveVersions(const Client& client, Runtime& runtime);
  ~LiveVersions();  ///< cancels the requests
  LiveVersions(const LiveVersions&) = delete;
  LiveVersions& operator=(const LiveVersions&) = delete;

  /// Starts to learn the version of this informer. Call it only while the lease is held, and no
  /// other manager writes. Has no effect if it was called for this informer before.
  void Learn(SharedInformer& informer);
  /// The version that the informer must have applied; nullopt while it is unknown. It may become
  /// less later.
  std::optional<uint64_t> Needed(const SharedInformer& informer) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace capstan
