#pragma once

/// Reflector: mirrors a resource of the API server into a DeltaFifo. (client-go tools/cache
/// Reflector;
/// https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes)
///
/// Lists in pages by a consistent read, then watches from the list's resourceVersion with
/// bookmarks. A watch that ends or breaks is resumed from the last resourceVersion seen, without a
/// relist; 410 Gone relists; an expired continue token falls back to one unpaged list. Failures
/// back off 800 ms to 30 s, doubled and jittered, and reset after two minutes without one.
///
/// Threads: Run from one thread; the others from any.

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include <capstan/cache/delta_fifo.h>
#include <capstan/client/client.h>
#include <capstan/export.h>

namespace capstan {

/// Which objects: "" = all.
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
  /// Decodes these fields, beside those of earlier calls; without a call, all. When that is more
  /// than before, a reflector that runs lists anew at once.
  void Keep(const FieldSet& fields);
  /// The latest resourceVersion that was received; the sink may still hold what leads to it.
  std::string LastSyncResourceVersion() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace capstan
