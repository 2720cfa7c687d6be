#pragma once

/// Maps the events of an informer to the keys of a queue.

#include <memory>
#include <string>
#include <vector>

#include <capstan/cache/shared_informer.h>
#include <capstan/controller/controller.h>
#include <capstan/queue/work_queue.h>

namespace capstan {

/// The settings of the handler for one For, Owns or Watches.
struct EventSource {
  std::string controller = {};  ///< for messages
  ControllerBuilder::ErasedKeys keys;
  std::vector<ControllerBuilder::ErasedPredicate> predicates = {};
  bool wants_resyncs = false;
  bool wants_pending_statuses = false;
};

/// The key of the object itself.
ControllerBuilder::ErasedKeys KeysOfObject(const TypeDescriptor& type);
/// The keys of the object's controllers of kind `owner`, before and after the change.
ControllerBuilder::ErasedKeys KeysOfControllers(const TypeDescriptor& type,
                                                const ResourceInfo& owner);

/// Returns a handler that only adds keys. It does not keep the queue alive, because an informer may
/// keep a handler longer than its controller lives.
EventHandler NewEnqueueHandler(EventSource source, std::weak_ptr<WorkQueue> queue);

}  // namespace capstan
