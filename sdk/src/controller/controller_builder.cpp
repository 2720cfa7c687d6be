#include <algorithm>
#include <exception>
#include <optional>

#include <capstan/controller/controller.h>
#include <capstan/plugin/plugin_context.h>
#include <capstan/runtime/format.h>

#include "controller/event_sources.h"
#include "controller/index_owners.h"
#include "controller/own_writes.h"
#include "plugin/plugin_context_impl.h"

namespace capstan {
namespace {

Result<std::shared_ptr<Reconciler>> MakeReconciler(
    const std::function<std::shared_ptr<Reconciler>(PluginContext&)>& make,
    PluginContext& context) {
  try {
    if (std::shared_ptr<Reconciler> reconciler = make(context)) return reconciler;
    return Status::InvalidArgument("the reconciler is null");
  } catch (const std::exception& error) {
    return Status::InvalidArgument(Format("the reconciler's constructor threw: {}", error.what()));
  } catch (...) {
    return Status::InvalidArgument("the reconciler's constructor threw");
  }
}

}  // namespace

struct ControllerBuilder::Impl {
  struct Source {
    const TypeDescriptor& type;
    InformerScope scope;
    EventSource events;
  };
  struct NamedIndex {
    const TypeDescriptor& type;
    std::string name;
    IndexFunction function;
  };

  Impl(PluginContext& plugin_context, std::string controller_name)
      : context(plugin_context),
        registry(*plugin_context.impl_),
        name(std::move(controller_name)) {}

  // Run reports the first problem.
  void Refuse(std::string what) {
    if (problem.empty()) problem = std::move(what);
  }
  void AddSource(const char* call, const TypeDescriptor& type, InformerScope scope,
                 EventSource events);
  Status Check() const;
  Status Build(const std::function<std::shared_ptr<Reconciler>(PluginContext&)>& make);
  Status AddIndices();
  std::vector<Controller::Source> Connect(const std::shared_ptr<WorkQueue>& queue);

  PluginContext& context;
  PluginContext::Impl& registry;
  const std::string name;
  std::string problem;
  const TypeDescriptor* for_type = nullptr;
  std::vector<Source> sources;
  std::vector<NamedIndex> indices;
  std::optional<int> workers;
  bool built = false;
};

void ControllerBuilder::Impl::AddSource(const char* call, const TypeDescriptor& type,
                                        InformerScope scope, EventSource events) {
  if (!type.resource) return Refuse(Format("{}<{}>: the type is not a resource", call, type.name));
  if (!for_type) return Refuse(Format("{}<{}>: For must come first", call, type.name));
  events.controller = name;
  sources.push_back({type, std::move(scope), std::move(events)});
}

Status ControllerBuilder::Impl::Check() const {
  if (name.empty()) return Status::InvalidArgument("the name is empty");
  if (!problem.empty()) return Status::InvalidArgument(problem);
  if (Status reads = registry.CheckReads(); !reads.ok()) return reads;
  if (built) return Status::InvalidArgument("Run was called twice");
  if (!for_type) return Status::InvalidArgument("For is missing: it names the type to reconcile");
  const int count = workers.value_or(context.concurrent_syncs());
  if (count < 1) {
    return Status::InvalidArgument(Format("{} workers: there must be at least one", count));
  }
  if (registry.HasController(name)) {
    return Status::InvalidArgument("the plugin already has a controller of this name");
  }
  return Status::Ok();
}

Status ControllerBuilder::Impl::AddIndices() {
  for (const NamedIndex& index : indices) {
    SharedInformer& informer = context.informers().InformerFor(index.type);
    const std::string owner = context.plugin_name() + "/" + name;
    Status status = AddIndexOnce(informer, index.name, index.function, owner);
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

std::vector<Controller::Source> ControllerBuilder::Impl::Connect(
    const std::shared_ptr<WorkQueue>& queue) {
  std::vector<Controller::Source> connected;
  for (Source& source : sources) {
    SharedInformer& informer =
        context.informers().InformerFor(source.type, std::move(source.scope));
    if (registry.own_writes) registry.own_writes->Follow(informer, connected.empty());
    connected.push_back({&informer, NewEnqueueHandler(std::move(source.events), queue)});
  }
  // Caches that the controller only reads through an index or a lister are also synced before it
  // starts.
  for (SharedInformer* informer : context.informers().Informers()) {
    const bool known = std::ranges::any_of(
        connected, [informer](const auto& source) { return source.informer == informer; });
    if (!known) connected.push_back({informer});
  }
  return connected;
}

Status ControllerBuilder::Impl::Build(
    const std::function<std::shared_ptr<Reconciler>(PluginContext&)>& make) {
  if (Status status = Check(); !status.ok()) return status;
  for (const Source& source : sources) {
    if (Status status = context.scheme().Add(source.type); !status.ok()) return status;
  }
  Result<std::shared_ptr<Reconciler>> reconciler = MakeReconciler(make, context);
  if (!reconciler) return reconciler.status();
  if (Status status = AddIndices(); !status.ok()) return status;
  built = true;
  const auto queue = std::make_shared<WorkQueue>(name, context.runtime(), context.metrics());
  std::vector<Controller::Source> connected = Connect(queue);
  registry.AddController(std::make_unique<Controller>(
      Controller::Options{.name = name,
                          .queue = queue,
                          .reconciler = std::move(*reconciler),
                          .sources = std::move(connected),
                          .workers = workers.value_or(context.concurrent_syncs()),
                          .runtime = context.runtime(),
                          .metrics = context.metrics(),
                          .own_writes = registry.own_writes,
                          .instance_id = registry.host.instance_id}));
  return Status::Ok();
}

ControllerBuilder::ControllerBuilder(PluginContext& context, std::string name)
    : impl_(std::make_unique<Impl>(context, std::move(name))) {}
ControllerBuilder::ControllerBuilder(ControllerBuilder&&) noexcept = default;
ControllerBuilder::~ControllerBuilder() = default;

ControllerBuilder& ControllerBuilder::For(const TypeDescriptor& type, InformerScope scope) {
  if (impl_->for_type) {
    impl_->Refuse(
        Format("For<{}>: For was called already, for {}", type.name, impl_->for_type->name));
    return *this;
  }
  impl_->for_type = &type;
  impl_->AddSource("For", type, std::move(scope),
                   {.keys = KeysOfObject(type), .wants_resyncs = true});
  return *this;
}

ControllerBuilder& ControllerBuilder::Owns(const TypeDescriptor& type, InformerScope scope) {
  const bool known = impl_->for_type && impl_->for_type->resource;
  impl_->AddSource(
      "Owns", type, std::move(scope),
      {.keys = known ? KeysOfControllers(type, *impl_->for_type->resource) : ErasedKeys(),
       .wants_pending_statuses = true});
  return *this;
}

ControllerBuilder& ControllerBuilder::Watches(const TypeDescriptor& type, ErasedKeys keys,
                                              InformerScope scope) {
  impl_->AddSource("Watches", type, std::move(scope), {.keys = std::move(keys)});
  return *this;
}

ControllerBuilder& ControllerBuilder::WithPredicate(const TypeDescriptor& type,
                                                    ErasedPredicate predicate) {
  if (impl_->sources.empty()) {
    impl_->Refuse(Format("WithPredicate<{}>: it must follow For, Owns or Watches", type.name));
  } else if (&impl_->sources.back().type != &type) {
    impl_->Refuse(Format("WithPredicate<{}>: the source before it is of type {}", type.name,
                         impl_->sources.back().type.name));
  } else {
    impl_->sources.back().events.predicates.push_back(std::move(predicate));
  }
  return *this;
}

ControllerBuilder& ControllerBuilder::Index(const TypeDescriptor& type, std::string name,
                                            IndexFunction function) {
  if (type.resource) {
    impl_->indices.push_back({type, std::move(name), std::move(function)});
  } else {
    impl_->Refuse(Format("Index<{}>: the type is not a resource", type.name));
  }
  return *this;
}

ControllerBuilder& ControllerBuilder::Workers(int count) {
  impl_->workers = count;
  return *this;
}

Status ControllerBuilder::Run(
    const std::function<std::shared_ptr<Reconciler>(PluginContext&)>& make) {
  Status status = impl_->Build(make);
  if (status.ok()) return status;
  return Status::InvalidArgument(Format("plugin {}: controller \"{}\": {}",
                                        impl_->context.plugin_name(), impl_->name,
                                        status.message()));
}

}  // namespace capstan
