#include "controller/event_sources.h"

#include <algorithm>
#include <exception>
#include <string_view>
#include <utility>

#include <capstan/log/log.h>

namespace capstan {
namespace {

std::string_view GroupOf(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  return slash == api_version.npos ? std::string_view() : api_version.substr(0, slash);
}

void AppendController(const api::ObjectMeta& metadata, const ResourceInfo& owner,
                      std::vector<NamespacedName>& keys) {
  const api::OwnerReference* controller = api::ControllerOf(metadata);
  if (!controller || controller->kind != std::string_view(owner.kind)) return;
  if (GroupOf(controller->apiVersion) != owner.group) return;
  NamespacedName key{owner.namespaced ? metadata.namespace_.str() : std::string(),
                     controller->name.str()};
  if (std::ranges::find(keys, key) == keys.end()) keys.push_back(std::move(key));
}

void Enqueue(const EventSource& source, const std::weak_ptr<WorkQueue>& queue_of_controller,
             const void* before, const void* after, Duration delay = {}) {
  const std::shared_ptr<WorkQueue> queue = queue_of_controller.lock();
  if (!queue) return;
  const bool is_resync = before == after;
  if (is_resync && !source.wants_resyncs) return;
  std::vector<NamespacedName> keys;
  try {
    for (const auto& predicate : source.predicates) {
      if (!predicate(before, after)) return;
    }
    source.keys(before, after, keys);
  } catch (const std::exception& error) {
    LogError(Status(StatusReason::kUnknown, error.what()),
             "A predicate or keys function threw an exception, dropping the change",
             {{"controller", source.controller}});
    return;
  }
  for (const NamespacedName& key : keys) {
    if (delay > Duration::zero()) {
      queue->AddAfter(key, delay);
    } else {
      queue->Add(key);
    }
  }
}

}  // namespace

ControllerBuilder::ErasedKeys KeysOfObject(const TypeDescriptor& type) {
  return [&type](const void* before, const void* after, std::vector<NamespacedName>& keys) {
    keys.push_back(api::NameOf(MetadataOf(type, after ? after : before)));
  };
}

ControllerBuilder::ErasedKeys KeysOfControllers(const TypeDescriptor& type,
                                                const ResourceInfo& owner) {
  return [&type, &owner](const void* before, const void* after, std::vector<NamespacedName>& keys) {
    if (before) AppendController(MetadataOf(type, before), owner, keys);
    if (after) AppendController(MetadataOf(type, after), owner, keys);
  };
}

EventHandler NewEnqueueHandler(EventSource source, std::weak_ptr<WorkQueue> queue) {
  struct Shared {
    EventSource source;
    std::weak_ptr<WorkQueue> queue;
  };
  const auto shared = std::make_shared<const Shared>(Shared{std::move(source), std::move(queue)});
  EventHandler handler;
  handler.on_add = [shared](const ObjectPtr& object, bool) {
    Enqueue(shared->source, shared->queue, nullptr, object.get());
  };
  handler.on_update = [shared](const ObjectPtr& before, const ObjectPtr& after) {
    Enqueue(shared->source, shared->queue, before.get(), after.get());
  };
  handler.on_delete = [shared](const ObjectPtr& object, bool) {
    Enqueue(shared->source, shared->queue, object.get(), nullptr);
  };
  if (shared->source.wants_pending_statuses) {
    handler.on_pending_status = [shared](const ObjectPtr& before, const ObjectPtr& after,
                                         Duration delay) {
      Enqueue(shared->source, shared->queue, before.get(), after.get(), delay);
    };
  }
  return handler;
}

}  // namespace capstan
