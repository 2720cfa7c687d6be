#pragma once

/// DeltaFifo: a queue of what happened to each object, in order, between a Reflector (producer) and
/// an informer (consumer). (client-go tools/cache DeltaFIFO)
///
/// An object's deltas leave together, once, in the order of the object's first delta. Two deletions
/// in a row are one. After a Replace, objects that the consumer knows and the list does not contain
/// leave as kDeleted with `final_state_unknown`.
///
/// Threads: one consumer; producers from any thread.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <capstan/api/object.h>
#include <capstan/cache/indexer.h>
#include <capstan/export.h>
#include <capstan/runtime/runtime.h>

namespace capstan {

struct Delta {
  enum class Type : uint8_t { kAdded, kUpdated, kDeleted, kReplaced, kSync };
  Type type;
  ObjectPtr object;                  ///< of a deletion: the last state known
  bool final_state_unknown = false;  ///< a deletion that was not seen, only noticed by a relist
  bool initial_list = false;         ///< part of the first list
};

class CAPSTAN_EXPORT DeltaFifo {
 public:
  /// `known` is the consumer's store: what Replace compares with and Resync repeats.
  DeltaFifo(const TypeDescriptor& type, const Indexer& known, Runtime& runtime);
  ~DeltaFifo();

  void Add(ObjectPtr object);
  void Update(ObjectPtr object);
  /// A deletion of what is neither known nor queued is dropped.
  void Delete(ObjectPtr object);
  /// A deletion of which only the name is known: leaves with the last state known and
  /// `final_state_unknown`.
  void DeleteLastKnown(const NamespacedName& name);
  /// `objects` is all there is, but for those named in `unread`, which are there and could not be
  /// read: what is known of them stays. `resource_version` as for SetResourceVersion, "" = unknown.
  /// `fields` are those that were decoded.
  void Replace(std::vector<ObjectPtr> objects, const std::vector<NamespacedName>& unread = {},
               std::string resource_version = {}, FieldSet fields = {});
  /// Queues a kSync delta for every known object that has none queued.
  void Resync();
  /// All that happened up to `resource_version` has been queued.
  void SetResourceVersion(std::string resource_version);

  /// Waits for and takes the deltas of the next object; nullopt when `stop` was triggered; no
  /// deltas after a Wake, and when there is news without any: of an empty first list, or of a
  /// resourceVersion up to which nothing is left to apply.
  std::optional<std::vector<Delta>> Pop(const std::stop_token& stop);
  /// The consumer says that it has applied the deltas it popped last.
  void Done();
  /// Makes the next Pop, or the one that waits, return.
  void Wake();

  /// True once all objects of the first Replace have been popped and applied.
  bool HasSynced() const;
  /// The latest resourceVersion up to which all that happened has been applied; "" before that of
  /// the first list.
  std::string AppliedResourceVersion() const;
  /// How many lists (calls of Replace with a resourceVersion) have been applied.
  uint64_t AppliedLists() const;
  /// The fields of the latest of these lists.
  FieldSet AppliedFields() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace capstan
