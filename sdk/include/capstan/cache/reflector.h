#pragma once

/// Reflector: mirrors a resource of the API server into a DeltaFifo. (client-go tools/cache
/// Reflector;
/// https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes)
///
/// Lists by watch where the server can: a watch that begins with the objects that exist
/// (sendInitialEvents) fills the sink when they are complete, and then goes on as the watch. The
/// first one is a consistent read, later ones are not older than what was seen. If it breaks, it is
/// begun anew after a backoff. A refusal (Invalid, BadRequest), a second break in a row, or 30
/// seconds without an event cause a fallback to lists by request for ten minutes; other errors for
/// this time only.
///
/// A list by request first accepts any state (resourceVersion=0). Later ones are not older than
/// what was seen; a server serves them from its watch cache. If the server cannot read at that
/// version (410, ResourceVersionTooLarge), the list is a consistent read in pages of 500. An
/// expired continue token causes one unpaged list.
///
/// A watch that ends or breaks resumes from the last seen resourceVersion, without a relist. 410
/// Gone causes a relist. After failures it backs off from 800 ms to 30 s, doubled each time, with
/// jitter. Two minutes without a failure reset the backoff.
///
/// Threads: call Run from one thread. The other methods may be called from any thread.

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include <capstan/cache/delta_fifo.h>
#include <capstan/client/client.h>
#include <capstan/export.h>

namespace capstan {

/// Selects the objects of an informer. "" selects all.
struct InformerScope {
  std::string namespace_;
  std::string label_selector;
  std::string field_selector;
  friend auto operator<=>(const InformerScope&, const InformerScope&) = default;
};

class CAPSTAN_EXPORT Reflector {
 public:
  Reflector(const Client& client, const TypeDescriptor& type, InformerScope scope, DeltaFifo& sink,
            Runtime& runtime, Duration resync_period);
  ~Reflector();

  /// Lists and watches until `stop` is triggered.
  void Run(std::stop_token stop);
  /// Adds these fields to the fields to decode. Without any call, all fields are decoded. If this
  /// adds fields, a running reflector relists at once.
  void Keep(const FieldSet& fields);
  /// The latest received resourceVersion. The sink may still hold deltas up to it.
  std::string LastSyncResourceVersion() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace capstan
