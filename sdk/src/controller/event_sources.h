#pragma once

// From an informer's events to the keys of a queue.

#include <memory>
#include <string>
#include <vector>

#include <capstan/cache/shared_informer.h>
#include <capstan/controller/controller.h>
#include <capstan/queue/work_queue.h>

namespace capstan {

// What the handler of one For, Owns or Watches does.
struct EventSource {
  std::string controller;  // for messages
  ControllerBuilder::ErasedKeys keys;
  std::vector<ControllerBuilder::ErasedPredicate> predicates;
  bool wants_resyncs = false;
};

// The object itself.
ControllerBuilder::ErasedKeys KeysOfObject(const TypeDescriptor& type);
// The objects of kind `owner` that are the object's controller before and after the change.
ControllerBuilder::ErasedKeys KeysOfControllers(const TypeDescriptor& type,
                                                const ResourceInfo& owner);

// A handler that only adds keys. It does not keep the queue alive, as an informer may keep a
// handler for longer than its controller lives.
EventHandler NewEnqueueHandler(EventSource source, std::weak_ptr<WorkQueue> queue);

}  // namespace capstan
