#pragma once

/// The layout fingerprint: a hash over the sizes and offsets of the public types that a plugin and
/// libcapstan exchange. It includes all registered kinds. Binaries with different fingerprints must
/// not be loaded together.
///
/// It does not cover the order of virtual functions or the meaning of members. A change to these
/// requires an increment of kPluginContractVersion.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <capstan/api/descriptor.h>
#include <capstan/api/kinds.h>
#include <capstan/api/registration.h>
#include <capstan/cache/lister.h>
#include <capstan/cache/pending_statuses.h>
#include <capstan/cache/shared_informer.h>
#include <capstan/client/client.h>
#include <capstan/controller/controller.h>
#include <capstan/controller/reconciler.h>
#include <capstan/events/event_recorder.h>
#include <capstan/log/log.h>
#include <capstan/metrics/metrics.h>
#include <capstan/plugin/descriptor.h>
#include <capstan/plugin/plugin_context.h>
#include <capstan/queue/work_queue.h>
#include <capstan/runtime/format.h>
#include <capstan/runtime/runtime.h>
#include <capstan/runtime/status.h>

namespace capstan {
namespace internal {

/// FNV-1a.
class LayoutHash {
 public:
  constexpr LayoutHash& Add(uint64_t number) {
    for (int byte = 0; byte < 8; ++byte) {
      value_ = (value_ ^ ((number >> (byte * 8)) & 0xff)) * 0x100000001b3ULL;
    }
    return *this;
  }
  template <class... T>
  constexpr LayoutHash& Sizes() {
    (Add(sizeof(T)).Add(alignof(T)), ...);
    return *this;
  }
  /// Adds a struct: its size and the offsets of its members.
  template <class T>
  constexpr LayoutHash& Members(std::initializer_list<size_t> offsets) {
    static_assert(std::is_standard_layout_v<T>);
    Sizes<T>();
    for (size_t offset : offsets) Add(offset);
    return *this;
  }
  constexpr uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0xcbf29ce484222325ULL;
};

constexpr void AddLibraryTypes(LayoutHash& hash) {
  hash.Sizes<std::string, std::string_view, std::vector<int>, std::map<int, int>,
             std::optional<int64_t>, std::function<void()>, std::shared_ptr<int>,
             std::unique_ptr<int>, std::stop_token, std::stop_source>();
}

constexpr void AddValueTypes(LayoutHash& hash) {
  hash.Sizes<Status, Status::Details, Status::Cause, Result<int>, Result<std::string>, FormatArg,
             LogField, CodeLocation, Mutex, MutexLock, StopWaker, WallTime, MonotonicTime,
             InternedString, FieldSet, Boxed<int>, StringMap, StringMap::Entry, RawJson, List<int>,
             Uid, api::Time, api::MicroTime, api::IntOrString, NamespacedName, Selector>();
}

constexpr void AddDescriptors(LayoutHash& hash) {
  hash.Members<FieldDescriptor>(
      {offsetof(FieldDescriptor, json), offsetof(FieldDescriptor, offset),
       offsetof(FieldDescriptor, kind), offsetof(FieldDescriptor, shape),
       offsetof(FieldDescriptor, flags), offsetof(FieldDescriptor, number),
       offsetof(FieldDescriptor, within), offsetof(FieldDescriptor, nested),
       offsetof(FieldDescriptor, container), offsetof(FieldDescriptor, box),
       offsetof(FieldDescriptor, box_offset)});
  hash.Members<BoxOps>({offsetof(BoxOps, get), offsetof(BoxOps, edit), offsetof(BoxOps, allocated),
                        offsetof(BoxOps, reset)});
  hash.Members<TypeDescriptor>({offsetof(TypeDescriptor, name), offsetof(TypeDescriptor, fields),
                                offsetof(TypeDescriptor, field_count),
                                offsetof(TypeDescriptor, size), offsetof(TypeDescriptor, construct),
                                offsetof(TypeDescriptor, destroy), offsetof(TypeDescriptor, make),
                                offsetof(TypeDescriptor, resource),
                                offsetof(TypeDescriptor, metadata_offset)});
  hash.Members<ResourceInfo>({offsetof(ResourceInfo, group), offsetof(ResourceInfo, version),
                              offsetof(ResourceInfo, resource), offsetof(ResourceInfo, kind),
                              offsetof(ResourceInfo, namespaced),
                              offsetof(ResourceInfo, metadata_only)});
  hash.Members<ContainerOps>({offsetof(ContainerOps, size), offsetof(ContainerOps, at),
                              offsetof(ContainerOps, append), offsetof(ContainerOps, pop),
                              offsetof(ContainerOps, finish), offsetof(ContainerOps, share)});
  hash.Members<ExplainedKind>({offsetof(ExplainedKind, kind), offsetof(ExplainedKind, resource),
                               offsetof(ExplainedKind, short_name),
                               offsetof(ExplainedKind, explain)});
  hash.Members<PluginInfo>(
      {offsetof(PluginInfo, name), offsetof(PluginInfo, aliases), offsetof(PluginInfo, setup),
       offsetof(PluginInfo, version), offsetof(PluginInfo, off_by_default),
       offsetof(PluginInfo, concurrent_syncs_flag), offsetof(PluginInfo, concurrent_syncs),
       offsetof(PluginInfo, explains)});
}

template <class T>
constexpr uint64_t LayoutOfTable();
template <class T>
inline constexpr uint64_t kLayoutOf = LayoutOfTable<T>();

/// Computes for each field of a table a hash of its name, type and offset.
struct LayoutMaker {
  struct Type {
    uint64_t hash = 0;
    uint8_t flags = 0;
  };
  template <class Member, class... Number>
  static constexpr Type Field(const char* json, size_t offset, Number...) {
    using Element = typename ElementOf<Member>::Type;
    LayoutHash hash;
    for (; *json != '\0'; ++json) hash.Add(static_cast<unsigned char>(*json));
    hash.Add(offset).Sizes<Member>();
    hash.Add(static_cast<uint64_t>(KindOf<Element>()));
    hash.Add(static_cast<uint64_t>(ShapeOf<Member>()));
    if constexpr (KindOf<Element>() == FieldKind::kObject) hash.Add(kLayoutOf<Element>);
    return {hash.value()};
  }
  template <class Box, class Member, class... Number>
  static constexpr Type FieldIn(size_t box_offset, const char* json, size_t offset, Number...) {
    const Type field = Field<Member>(json, offset);
    return {LayoutHash().Add(box_offset).Sizes<ValueOf<Box>>().Add(field.hash).value()};
  }
  static constexpr Type UnknownMembers(size_t offset) { return Field<RawJson>("", offset); }
  template <class Box>
  static constexpr Type UnknownMembersIn(size_t box_offset, size_t offset) {
    return FieldIn<Box, RawJson>(box_offset, "", offset);
  }
};

/// Returns the hash of a table and all its nested tables.
template <class T>
constexpr uint64_t LayoutOfTable() {
  static_assert(std::is_standard_layout_v<T>);
  LayoutHash hash;
  hash.Sizes<T>();
  for (const LayoutMaker::Type& field : TableOf<T>::template kFields<T, LayoutMaker>) {
    hash.Add(field.hash);
  }
  return hash.value();
}

constexpr void AddKinds(LayoutHash& hash) {
#define CAPSTAN_INTERNAL_ADD_KIND(space, Kind) hash.Add(kLayoutOf<api::space::Kind>);
  CAPSTAN_KINDS(CAPSTAN_INTERNAL_ADD_KIND)
#undef CAPSTAN_INTERNAL_ADD_KIND
}

constexpr void AddServices(LayoutHash& hash) {
  hash.Sizes<Client, WriteObserver, ListOptions, WatchOptions, DeleteOptions, ObjectList,
             WatchEvent, ClientOptions, Indexer, Lister<api::core::v1::Pod>, PendingStatusStore,
             InformerScope, EventHandler, SharedInformer, SharedInformerFactory, WorkQueue,
             RateLimiter, Request, Action, Reconciler, Controller, ControllerBuilder, Explanation,
             Explanation::Detail, ExplainedObject, Explainer, EventBroadcaster, EventRecorder,
             Scheme, Counter, Gauge, Histogram, MetricsRegistry, Runtime, Clock, Thread, Condition,
             PluginContext>();
}

constexpr uint64_t LayoutFingerprint() {
  LayoutHash hash;
  AddLibraryTypes(hash);
  AddValueTypes(hash);
  AddDescriptors(hash);
  AddKinds(hash);
  AddServices(hash);
  return hash.value();
}

}  // namespace internal

inline constexpr uint64_t kLayoutFingerprint = internal::LayoutFingerprint();

}  // namespace capstan
