#include <capstan/cache/delta_fifo.h>

#include <cstdint>
#include <deque>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <capstan/api/list.h>
#include <capstan/runtime/mutex.h>

namespace capstan {
namespace {

// An object's namespace and name as views into the object. The holder of the key keeps it alive.
struct Key {
  std::string_view namespace_;
  std::string_view name;
  friend bool operator==(const Key&, const Key&) = default;
};
struct KeyHash {
  size_t operator()(const Key& key) const {
    const std::hash<std::string_view> hash;
    return (hash(key.namespace_) * 31) ^ hash(key.name);
  }
};

struct Item {
  ObjectPtr anchor;  // the object that the key's views point into
  List<Delta> deltas;
  uint64_t sequence = 0;
};
using Items = std::unordered_map<Key, Item, KeyHash>;

// Of two consecutive deletions, keeps the observed one, because its final state is known.
void DropDuplicateDeletion(List<Delta>& deltas) {
  if (deltas.size() < 2) return;
  Delta& last = deltas.back();
  Delta& before = deltas[deltas.size() - 2];
  if (last.type != Delta::Type::kDeleted || before.type != Delta::Type::kDeleted) return;
  if (!last.final_state_unknown) std::swap(before, last);
  deltas.pop_back();
}

}  // namespace

struct DeltaFifo::Impl {
  Impl(const TypeDescriptor& t, const Indexer& k, Runtime& runtime)
      : type(t), known(k), changed(runtime.NewCondition()) {}

  Key KeyOf(const ObjectPtr& object) const {
    const api::ObjectMeta& metadata = MetadataOf(type, object.get());
    return {metadata.namespace_.view(), metadata.name};
  }
  bool Synced() const CAPSTAN_REQUIRES(mutex) {
    return populated && initial_left == 0 && !initial_in_hand;
  }
  void Queue(Delta delta) CAPSTAN_REQUIRES(mutex);
  // The state of the object that the consumer has or is processing; null if there is none.
  ObjectPtr KnownObject(const Key& key) const CAPSTAN_REQUIRES(mutex);
  std::vector<ObjectPtr> KnownObjects() const CAPSTAN_REQUIRES(mutex);
  void QueueDeletionsOfUnlisted(const std::vector<ObjectPtr>& objects,
                                const std::vector<NamespacedName>& unread) CAPSTAN_REQUIRES(mutex);
  void EndList(std::string resource_version, FieldSet list_fields) CAPSTAN_REQUIRES(mutex);
  void SetMark(std::string resource_version, bool is_list) CAPSTAN_REQUIRES(mutex);
  void PassMarks(uint64_t sequence) CAPSTAN_REQUIRES(mutex);

  const TypeDescriptor& type;
  const Indexer& known;
  const std::unique_ptr<Condition> changed;

  mutable Mutex mutex;
  Items items CAPSTAN_GUARDED_BY(mutex);
  std::deque<Items::value_type*> queue CAPSTAN_GUARDED_BY(mutex);
  uint64_t last_sequence CAPSTAN_GUARDED_BY(mutex) = 0;
  bool populated CAPSTAN_GUARDED_BY(mutex) = false;
  size_t initial_left CAPSTAN_GUARDED_BY(mutex) = 0;
  bool wake CAPSTAN_GUARDED_BY(mutex) = false;

  // The last delta of the popped item, until Done. The store may or may not show it yet.
  std::optional<Delta> in_hand CAPSTAN_GUARDED_BY(mutex);
  uint64_t sequence_in_hand CAPSTAN_GUARDED_BY(mutex) = 0;
  bool initial_in_hand CAPSTAN_GUARDED_BY(mutex) = false;

  // A mark is passed once the items that were queued before it have been applied.
  struct Mark {
    uint64_t sequence;
    std::string resource_version;
    uint64_t lists;
    FieldSet fields;
  };
  std::deque<Mark> marks CAPSTAN_GUARDED_BY(mutex);
  uint64_t lists CAPSTAN_GUARDED_BY(mutex) = 0;
  FieldSet fields CAPSTAN_GUARDED_BY(mutex);  // of the latest list
  std::string applied CAPSTAN_GUARDED_BY(mutex);
  uint64_t applied_lists CAPSTAN_GUARDED_BY(mutex) = 0;
  FieldSet applied_fields CAPSTAN_GUARDED_BY(mutex);
};

void DeltaFifo::Impl::Queue(Delta delta) {
  const Key key = KeyOf(delta.object);
  const auto [found, added] = items.try_emplace(key);
  Item& item = found->second;
  if (added) {
    item.anchor = delta.object;
    item.sequence = ++last_sequence;
    queue.push_back(&*found);
  }
  item.deltas.push_back(std::move(delta));
  DropDuplicateDeletion(item.deltas);
  changed->NotifyOne();
}

ObjectPtr DeltaFifo::Impl::KnownObject(const Key& key) const {
  if (in_hand && KeyOf(in_hand->object) == key) {
    return in_hand->type == Delta::Type::kDeleted ? nullptr : in_hand->object;
  }
  return known.Get(key.namespace_, key.name);
}

std::vector<ObjectPtr> DeltaFifo::Impl::KnownObjects() const {
  std::vector<ObjectPtr> objects = known.List();
  if (!in_hand) return objects;
  const Key key = KeyOf(in_hand->object);
  std::erase_if(objects, [&](const ObjectPtr& object) { return KeyOf(object) == key; });
  if (in_hand->type != Delta::Type::kDeleted) objects.push_back(in_hand->object);
  return objects;
}

void DeltaFifo::Impl::QueueDeletionsOfUnlisted(const std::vector<ObjectPtr>& objects,
                                               const std::vector<NamespacedName>& unread) {
  std::unordered_set<Key, KeyHash> listed;
  listed.reserve(objects.size() + unread.size());
  for (const NamespacedName& name : unread) listed.insert({name.namespace_, name.name});
  for (const ObjectPtr& object : objects) listed.insert(KeyOf(object));
  std::vector<ObjectPtr> gone = KnownObjects();
  // Objects that are only queued, or queued in a newer state than the known one.
  for (const auto& [key, item] : items) {
    const Delta& newest = item.deltas.back();
    if (newest.type != Delta::Type::kDeleted) gone.push_back(newest.object);
  }
  std::unordered_map<Key, ObjectPtr, KeyHash> last_states;
  for (ObjectPtr& object : gone) {
    const Key key = KeyOf(object);
    if (listed.contains(key)) continue;
    const auto queued = items.find(key);
    if (queued != items.end() && queued->second.deltas.back().type == Delta::Type::kDeleted) {
      continue;
    }
    // Erased first, because the views of the key point into the old object.
    last_states.erase(key);
    last_states.emplace(key, std::move(object));
  }
  for (auto& [key, object] : last_states) {
    Queue({Delta::Type::kDeleted, std::move(object), true, false});
  }
}

void DeltaFifo::Impl::EndList(std::string resource_version, FieldSet list_fields) {
  fields = list_fields;
  if (!resource_version.empty()) SetMark(std::move(resource_version), true);
  if (populated) return;
  populated = true;
  initial_left = queue.size();
  if (initial_left > 0) return;
  wake = true;
  changed->NotifyOne();
}

void DeltaFifo::Impl::SetMark(std::string resource_version, bool is_list) {
  if (is_list) ++lists;
  if (queue.empty() && !in_hand) {
    marks.clear();
    applied = std::move(resource_version);
    applied_lists = lists;
    applied_fields = fields;
    wake = true;
    changed->NotifyOne();
  } else if (!marks.empty() && marks.back().sequence == last_sequence) {
    marks.back() = {last_sequence, std::move(resource_version), lists, fields};
  } else {
    marks.push_back({last_sequence, std::move(resource_version), lists, fields});
  }
}

void DeltaFifo::Impl::PassMarks(uint64_t sequence) {
  while (!marks.empty() && marks.front().sequence <= sequence) {
    applied = std::move(marks.front().resource_version);
    applied_lists = marks.front().lists;
    applied_fields = marks.front().fields;
    marks.pop_front();
  }
}

DeltaFifo::DeltaFifo(const TypeDescriptor& type, const Indexer& known, Runtime& runtime)
    : impl_(std::make_unique<Impl>(type, known, runtime)) {}
DeltaFifo::~DeltaFifo() = default;

void DeltaFifo::Add(ObjectPtr object, std::string resource_version) {
  MutexLock lock(impl_->mutex);
  impl_->Queue({Delta::Type::kAdded, std::move(object), false, false});
  if (!resource_version.empty()) impl_->SetMark(std::move(resource_version), false);
}

void DeltaFifo::Update(ObjectPtr object, std::string resource_version) {
  MutexLock lock(impl_->mutex);
  impl_->Queue({Delta::Type::kUpdated, std::move(object), false, false});
  if (!resource_version.empty()) impl_->SetMark(std::move(resource_version), false);
}

void DeltaFifo::Delete(ObjectPtr object, std::string resource_version) {
  MutexLock lock(impl_->mutex);
  const Key key = impl_->KeyOf(object);
  if (impl_->items.contains(key) || impl_->KnownObject(key)) {
    impl_->Queue({Delta::Type::kDeleted, std::move(object), false, false});
  }
  if (!resource_version.empty()) impl_->SetMark(std::move(resource_version), false);
}

void DeltaFifo::DeleteLastKnown(const NamespacedName& name) {
  MutexLock lock(impl_->mutex);
  const Key key{name.namespace_, name.name};
  const auto queued = impl_->items.find(key);
  ObjectPtr object =
      queued != impl_->items.end() ? queued->second.deltas.back().object : impl_->KnownObject(key);
  if (object) impl_->Queue({Delta::Type::kDeleted, std::move(object), true, false});
}

void DeltaFifo::Replace(std::vector<ObjectPtr> objects, const std::vector<NamespacedName>& unread,
                        std::string resource_version, FieldSet fields) {
  MutexLock lock(impl_->mutex);
  for (const ObjectPtr& object : objects) {
    impl_->Queue({Delta::Type::kReplaced, object, false, false});
  }
  impl_->QueueDeletionsOfUnlisted(objects, unread);
  impl_->EndList(std::move(resource_version), fields);
}

void DeltaFifo::AddListed(std::vector<ObjectPtr> objects) {
  MutexLock lock(impl_->mutex);
  for (ObjectPtr& object : objects) {
    impl_->Queue({Delta::Type::kReplaced, std::move(object), false, true});
  }
}

void DeltaFifo::EndFirstList(std::string resource_version, FieldSet fields) {
  MutexLock lock(impl_->mutex);
  impl_->EndList(std::move(resource_version), fields);
}

// Skips a known object whose newer state is queued or being processed. Otherwise the consumer would
// go back to the older state.
void DeltaFifo::Resync() {
  MutexLock lock(impl_->mutex);
  const Key none{};
  const Key in_hand = impl_->in_hand ? impl_->KeyOf(impl_->in_hand->object) : none;
  for (ObjectPtr& object : impl_->known.List()) {
    const Key key = impl_->KeyOf(object);
    if (key == in_hand || impl_->items.contains(key)) continue;
    impl_->Queue({Delta::Type::kSync, std::move(object), false, false});
  }
}

void DeltaFifo::SetResourceVersion(std::string resource_version) {
  MutexLock lock(impl_->mutex);
  impl_->SetMark(std::move(resource_version), false);
}

std::optional<std::vector<Delta>> DeltaFifo::Pop(const std::stop_token& stop) {
  StopWaker waker(stop, impl_->mutex, *impl_->changed);
  MutexLock lock(impl_->mutex);
  while (true) {
    if (stop.stop_requested()) return std::nullopt;
    if (impl_->wake) {
      impl_->wake = false;
      return std::vector<Delta>{};
    }
    if (!impl_->queue.empty()) break;
    impl_->changed->Wait(impl_->mutex);
  }
  Item& item = impl_->queue.front()->second;
  const Key key = impl_->queue.front()->first;
  impl_->queue.pop_front();
  std::vector<Delta> deltas(std::make_move_iterator(item.deltas.begin()),
                            std::make_move_iterator(item.deltas.end()));
  const bool initial = impl_->initial_left > 0 || deltas.front().initial_list;
  if (impl_->initial_left > 0) --impl_->initial_left;
  for (Delta& delta : deltas) delta.initial_list = initial;
  impl_->in_hand = deltas.back();
  impl_->sequence_in_hand = item.sequence;
  impl_->initial_in_hand = initial;
  const ObjectPtr anchor = std::move(item.anchor);
  impl_->items.erase(key);
  return deltas;
}

void DeltaFifo::Done() {
  MutexLock lock(impl_->mutex);
  if (!impl_->in_hand) return;
  impl_->in_hand.reset();
  impl_->initial_in_hand = false;
  impl_->PassMarks(impl_->sequence_in_hand);
}

void DeltaFifo::Wake() {
  MutexLock lock(impl_->mutex);
  impl_->wake = true;
  impl_->changed->NotifyOne();
}

bool DeltaFifo::HasSynced() const {
  MutexLock lock(impl_->mutex);
  return impl_->Synced();
}

std::string DeltaFifo::AppliedResourceVersion() const {
  MutexLock lock(impl_->mutex);
  return impl_->applied;
}

uint64_t DeltaFifo::AppliedLists() const {
  MutexLock lock(impl_->mutex);
  return impl_->applied_lists;
}

FieldSet DeltaFifo::AppliedFields() const {
  MutexLock lock(impl_->mutex);
  return impl_->applied_fields;
}

}  // namespace capstan
