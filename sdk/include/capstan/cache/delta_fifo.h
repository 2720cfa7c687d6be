#pragma once

/// DeltaFifo: a queue of the changes of each object, in order. A Reflector is the producer and an
/// informer is the consumer. (client-go tools/cache DeltaFIFO)
///
/// Pop returns all deltas of an object together and once. Objects leave in the order of their first
/// delta. Two consecutive deletions are merged into one. After a Replace, objects that the consumer
/// knows but the list does not contain leave as kDeleted with `final_state_unknown`.
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
  ObjectPtr object;                  ///< for a deletion: the last known state
  bool final_state_unknown = false;  ///< the deletion was not observed; a relist detected it
  bool initial_list = false;         ///< part of the first list
};

class CAPSTAN_EXPORT DeltaFifo {
 public:
  /// `known` is the consumer's store. Replace compares the list with it, and Resync queues its
  /// objects.
  DeltaFifo(const TypeDescriptor& type, const Indexer& known, Runtime& runtime);
  ~DeltaFifo();

  /// With a `resource_version` these three do what SetResourceVersion does, too, and wake the
  /// consumer only once.
  void Add(ObjectPtr object, std::string resource_version = {});
  void Update(ObjectPtr object, std::string resource_version = {});
  /// A deletion of an object that is neither known nor queued is dropped.
  void Delete(ObjectPtr object, std::string resource_version = {});
  /// Queues a deletion of which only the name is known. It leaves with the last known state and
  /// `final_state_unknown`.
  void DeleteLastKnown(const NamespacedName& name);
  /// Replaces the content with `objects`. `unread` names objects that exist but did not decode:
  /// their known state stays. For `resource_version` see SetResourceVersion; "" means unknown.
  /// `fields` are the fields that were decoded.
  void Replace(std::vector<ObjectPtr> objects, const std::vector<NamespacedName>& unread = {},
               std::string resource_version = {}, FieldSet fields = {});
  /// Queues a part of the first list, so that it need not be held until all of the list is there.
  /// EndFirstList follows, or a Replace that takes back what it does not contain. The parts leave
  /// as kReplaced with `initial_list`.
  void AddListed(std::vector<ObjectPtr> objects);
  /// As Replace, with the parts added before as the content.
  void EndFirstList(std::string resource_version, FieldSet fields);
  /// Queues a kSync delta for each known object without a queued delta.
  void Resync();
  /// States that every change up to `resource_version` has been queued.
  void SetResourceVersion(std::string resource_version);

  /// Waits for the deltas of the next object and removes them from the queue. Returns nullopt when
  /// `stop` is triggered. Returns no deltas after a Wake, after an empty first list, and when all
  /// changes up to a new resourceVersion have been applied.
  std::optional<std::vector<Delta>> Pop(const std::stop_token& stop);
  /// The consumer calls this when it has applied the deltas of the last Pop.
  void Done();
  /// Makes the waiting Pop, or else the next one, return.
  void Wake();

  /// True once all objects of the first Replace have been popped and applied.
  bool HasSynced() const;
  /// The latest resourceVersion up to which all changes have been applied; "" before the first list
  /// has been applied.
  std::string AppliedResourceVersion() const;
  /// The number of lists (calls of Replace with a resourceVersion) that have been applied.
  uint64_t AppliedLists() const;
  /// The fields of the last applied list.
  FieldSet AppliedFields() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace capstan
