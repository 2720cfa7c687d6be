#include "apiserver/storage/store.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "apiserver/http/api_errors.h"

namespace capstan::testing::server {
namespace {

// Orders by the keys "<namespace>/<name>" without building them. '/' is greater than '-' and '.',
// which a longer namespace can continue with.
struct KeyOrder {
  bool operator()(const NamespacedName& a, const NamespacedName& b) const {
    if (a.namespace_ == b.namespace_) return a.name < b.name;
    const size_t common = std::min(a.namespace_.size(), b.namespace_.size());
    const int order = a.namespace_.compare(0, common, b.namespace_, 0, common);
    if (order != 0) return order < 0;
    return a.namespace_.size() < b.namespace_.size() ? '/' < b.namespace_[common]
                                                     : a.namespace_[common] < '/';
  }
};
using ObjectsByName = std::map<NamespacedName, StoredObjectPtr, KeyOrder>;

StoredObjectPtr Stored(json::Value value, int64_t version) {
  value.Mutable("metadata", "resourceVersion") = std::to_string(version);
  return std::make_shared<StoredObject>(std::move(value), version);
}

// Returns the range of `objects` in one namespace ("" = all namespaces).
template <class Objects>
auto RangeOf(Objects& objects, std::string_view namespace_) {
  auto begin = objects.begin();
  auto end = objects.end();
  if (!namespace_.empty()) {
    begin = objects.lower_bound({std::string(namespace_), {}});
    end = begin;
    while (end != objects.end() && end->first.namespace_ == namespace_) ++end;
  }
  return std::pair(begin, end);
}

Status ExpiredWatch(int64_t version, int64_t oldest) {
  return ExpiredError("too old resource version: " + std::to_string(version) + " (" +
                      std::to_string(oldest) + ")");
}

}  // namespace

StoredObject::StoredObject(json::Value value, int64_t version)
    : value_(std::move(value)), version_(version) {}

const std::string& StoredObject::text() const {
  std::call_once(made_, [this] { text_ = json::ToJson(value_); });
  return text_;
}

const std::string& StoredObject::item_text() const {
  std::call_once(item_made_, [this] {
    json::Value item = value_;
    item.Erase("apiVersion");
    item.Erase("kind");
    item_text_ = json::ToJson(item);
  });
  return item_text_;
}

struct Store::Collection {
  explicit Collection(std::unique_ptr<Condition> condition) : changed(std::move(condition)) {}

  // Returns the change that no longer fits, so that the caller destroys it without the lock.
  Change Record(Change change, size_t most) {
    history.push_back(std::move(change));
    if (history.size() <= most) return {};
    Change oldest = std::move(history.front());
    history.pop_front();
    dropped = oldest.version;
    return oldest;
  }
  // Returns null if there are no waiters.
  Condition* ToNotify() const { return waiting > 0 ? changed.get() : nullptr; }

  const std::unique_ptr<Condition> changed;
  ObjectsByName objects;
  std::deque<Change> history;
  int64_t dropped = 0;      // the version of the newest change dropped from the history
  mutable int waiting = 0;  // number of waiters on `changed`
};

Store::Store(Runtime& runtime, size_t history)
    : runtime_(runtime), history_(std::max<size_t>(history, 1)), changed_(runtime.NewCondition()) {}

Store::~Store() = default;

Store::Collection& Store::CollectionOf(const std::string& storage) const {
  std::unique_ptr<Collection>& collection = collections_[storage];
  if (!collection) collection = std::make_unique<Collection>(runtime_.NewCondition());
  return *collection;
}

const Store::Collection* Store::FindCollection(const std::string& storage) const {
  const auto place = collections_.find(storage);
  return place == collections_.end() ? nullptr : place->second.get();
}

int64_t Store::Version() const {
  MutexLock lock(mutex_);
  return version_;
}

int64_t Store::Epoch() const {
  MutexLock lock(mutex_);
  return epoch_;
}

int64_t Store::OldestVersionOf(const Collection* collection) const {
  return collection ? std::max(compacted_, collection->dropped) : compacted_;
}

int64_t Store::OldestVersion(const std::string& storage) const {
  MutexLock lock(mutex_);
  return OldestVersionOf(FindCollection(storage));
}

StoredObjectPtr Store::Get(const std::string& storage, const NamespacedName& name) const {
  MutexLock lock(mutex_);
  const Collection* collection = FindCollection(storage);
  if (!collection) return nullptr;
  const auto place = collection->objects.find(name);
  return place == collection->objects.end() ? nullptr : place->second;
}

Snapshot Store::List(const std::string& storage, std::string_view namespace_) const {
  MutexLock lock(mutex_);
  Snapshot snapshot{version_, {}};
  const Collection* collection = FindCollection(storage);
  if (!collection) return snapshot;
  if (namespace_.empty()) snapshot.objects.reserve(collection->objects.size());
  const auto [begin, end] = RangeOf(collection->objects, namespace_);
  for (auto place = begin; place != end; ++place) snapshot.objects.push_back(place->second);
  return snapshot;
}

Result<Snapshot> Store::ListAt(const std::string& storage, std::string_view namespace_,
                               int64_t version) const {
  MutexLock lock(mutex_);
  if (version > version_) {
    return TooLargeVersionError(static_cast<uint64_t>(version), version_);
  }
  const Collection* collection = FindCollection(storage);
  if (version < OldestVersionOf(collection)) {
    return ExpiredError("The resourceVersion for the provided list is too old.");
  }
  Snapshot snapshot{version, {}};
  if (!collection) return snapshot;

  // The objects that differ at `version`; null = the object did not exist.
  ObjectsByName then;
  for (auto change = collection->history.rbegin();
       change != collection->history.rend() && change->version > version; ++change) {
    if (!namespace_.empty() && change->name.namespace_ != namespace_) continue;
    then[change->name] = change->previous;
  }
  const auto [begin, end] = RangeOf(collection->objects, namespace_);
  auto other = then.begin();
  const auto add = [&](const StoredObjectPtr& object) {
    if (object) snapshot.objects.push_back(object);
  };
  for (auto place = begin; place != end; ++place) {
    while (other != then.end() && KeyOrder()(other->first, place->first)) add((other++)->second);
    const bool differs = other != then.end() && other->first == place->first;
    add(differs ? (other++)->second : place->second);
  }
  while (other != then.end()) add((other++)->second);
  return snapshot;
}

StoredObjectPtr Store::Put(const std::string& storage, const NamespacedName& name,
                           const StoredObjectPtr& expected, json::Value value) {
  const auto type = expected ? Change::Type::kModified : Change::Type::kAdded;
  return Write(type, storage, name, expected, std::move(value));
}

StoredObjectPtr Store::Remove(const std::string& storage, const NamespacedName& name,
                              const StoredObjectPtr& expected, json::Value last) {
  if (!expected) return nullptr;
  return Write(Change::Type::kDeleted, storage, name, expected, std::move(last));
}

StoredObjectPtr Store::Write(Change::Type type, const std::string& storage,
                             const NamespacedName& name, const StoredObjectPtr& expected,
                             json::Value value) {
  StoredObjectPtr stored;
  Change forgotten;
  Condition* waiters = nullptr;
  {
    MutexLock lock(mutex_);
    Collection& collection = CollectionOf(storage);
    const auto place = collection.objects.lower_bound(name);
    const bool exists = place != collection.objects.end() && place->first == name;
    if ((exists ? place->second : nullptr) != expected) return nullptr;
    stored = Stored(std::move(value), ++version_);
    if (type == Change::Type::kDeleted) {
      collection.objects.erase(place);
    } else if (exists) {
      place->second = stored;
    } else {
      collection.objects.emplace_hint(place, name, stored);
    }
    forgotten = collection.Record({type, version_, name, stored, expected}, history_);
    waiters = collection.ToNotify();
  }
  NotifyAll(waiters);
  return stored;
}

void Store::NotifyAll(Condition* collection_changed) const {
  if (collection_changed) collection_changed->NotifyAll();
  changed_->NotifyAll();
}

std::optional<Result<std::vector<Change>>> Store::ChangesNow(const Collection& collection,
                                                             int64_t version,
                                                             std::optional<int64_t> epoch,
                                                             int64_t& upto) const {
  upto = std::max(version, version_);
  if ((epoch && *epoch != epoch_) || version < collection.dropped) {
    return ExpiredWatch(version, OldestVersionOf(&collection));
  }
  if (collection.history.empty() || collection.history.back().version <= version)
    return std::nullopt;
  const auto first = std::upper_bound(
      collection.history.begin(), collection.history.end(), version,
      [](int64_t wanted, const Change& change) { return wanted < change.version; });
  return std::vector<Change>(first, collection.history.end());
}

Result<std::vector<Change>> Store::Changes(const std::string& storage, int64_t version,
                                           std::optional<MonotonicTime> deadline,
                                           const std::stop_token& stop, int64_t& upto,
                                           std::optional<int64_t> epoch) const {
  const Collection* collection = nullptr;
  {
    MutexLock lock(mutex_);
    collection = &CollectionOf(storage);
    if (auto ready = ChangesNow(*collection, version, epoch, upto)) return *std::move(ready);
  }
  StopWaker waker(stop, mutex_, *collection->changed);
  MutexLock lock(mutex_);
  bool in_time = true;
  while (true) {
    if (auto ready = ChangesNow(*collection, version, epoch, upto)) return *std::move(ready);
    if (!in_time || stop.stop_requested()) return std::vector<Change>();
    ++collection->waiting;
    if (deadline) {
      in_time = collection->changed->WaitUntil(mutex_, *deadline);
    } else {
      collection->changed->Wait(mutex_);
    }
    --collection->waiting;
  }
}

bool Store::AwaitChange(int64_t version, const std::stop_token& stop) const {
  StopWaker waker(stop, mutex_, *changed_);
  MutexLock lock(mutex_);
  while (version_ == version) {
    if (stop.stop_requested()) return false;
    changed_->Wait(mutex_);
  }
  return !stop.stop_requested();
}

std::vector<std::string> Store::Storages() const {
  MutexLock lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, collection] : collections_) names.push_back(name);
  return names;
}

void Store::Compact(std::optional<int64_t> version) {
  std::vector<Change> forgotten;
  MutexLock lock(mutex_);
  compacted_ = std::max(compacted_, std::min(version.value_or(version_), version_));
  for (auto& [name, collection] : collections_) {
    while (!collection->history.empty() && collection->history.front().version <= compacted_) {
      collection->dropped = collection->history.front().version;
      forgotten.push_back(std::move(collection->history.front()));
      collection->history.pop_front();
    }
  }
}

json::Value Store::Save() const {
  MutexLock lock(mutex_);
  json::Value storages = json::Value::Object();
  for (const auto& [name, collection] : collections_) {
    json::Value::Items objects;
    for (const auto& [key, object] : collection->objects) {
      objects.push_back(json::Value::Object(
          {{"namespace", key.namespace_}, {"name", key.name}, {"object", object->value()}}));
    }
    storages.Set(name, json::Value::Array(std::move(objects)));
  }
  return json::Value::Object({{"version", version_}, {"storages", std::move(storages)}});
}

namespace {

Result<ObjectsByName> ReadObjects(const json::Value& saved, int64_t newest) {
  ObjectsByName objects;
  if (!saved.IsArray()) return Status::Malformed("a storage is not a list");
  for (const json::Value& entry : saved.items()) {
    const json::Value& object = entry.Get("object");
    const std::string& name = entry.Get("name").AsString();
    if (name.empty() || !object.IsObject()) {
      return Status::Malformed("an entry has no name or no object");
    }
    const std::string& text = object.Get("metadata", "resourceVersion").AsString();
    int64_t version = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
    if (error != std::errc() || end != text.data() + text.size() || version < 1 ||
        version > newest) {
      return Status::Malformed("the resourceVersion of " + Quoted(name) + " cannot be " +
                               Quoted(text));
    }
    objects[{entry.Get("namespace").AsString(), name}] =
        std::make_shared<StoredObject>(object, version);
  }
  return objects;
}

}  // namespace

Status Store::Load(const json::Value& saved) {
  const json::Value& version = saved.Get("version");
  if (!version.IsInteger() || version.AsInteger() < 1) {
    return Status::Malformed("the saved state has no version");
  }
  std::map<std::string, ObjectsByName> loaded;
  for (const json::Member& storage : saved.Get("storages").members()) {
    auto objects = ReadObjects(storage.value, version.AsInteger());
    if (!objects.ok()) return objects.status().WithContext("storage " + Quoted(storage.key));
    loaded[storage.key] = *std::move(objects);
  }
  std::vector<Condition*> waiters;
  {
    MutexLock lock(mutex_);
    ++epoch_;
    version_ = compacted_ = version.AsInteger();
    for (const auto& [name, objects] : loaded) CollectionOf(name);
    for (auto& [name, collection] : collections_) {
      collection->objects = std::move(loaded[name]);
      collection->history.clear();
      collection->dropped = 0;
      waiters.push_back(collection->changed.get());
    }
  }
  for (Condition* waiter : waiters) waiter->NotifyAll();
  changed_->NotifyAll();
  return Status::Ok();
}

}  // namespace capstan::testing::server
