#pragma once

/// Reflector: mirrors a resource of the API server into a DeltaFifo. (client-go tools/cache
/// Reflector;
/// https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes)
///
/// Lists in pages with a consistent read, then watches from the list's resourceVersion with
/// bookmarks. A watch that ends or breaks resumes from the last seen resourceVersion, without a
/// relist. 410 Gone causes a relist. An expired continue token causes one unpaged list. After
/// failures it backs off from 800 ms to 30 s, doubled each time, with jitter. Two minutes without a
/// failure reset the backoff.
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
