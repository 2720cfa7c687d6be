#include "controller/index_owners.h"

#include <map>
#include <memory>
#include <utility>

#include <capstan/runtime/mutex.h>

namespace capstan {
namespace {

using Owners = std::map<std::string, std::string>;  // by index name

struct Registry {
  Mutex mutex;
  std::map<std::weak_ptr<const Indexer>, Owners, std::owner_less<>> indexers
      CAPSTAN_GUARDED_BY(mutex);
};

Registry& TheRegistry() {
  static Registry* const registry = new Registry;
  return *registry;
}

bool IsOwner(const std::shared_ptr<const Indexer>& indexer, const std::string& name,
             const std::string& owner) {
  Registry& registry = TheRegistry();
  MutexLock lock(registry.mutex);
  const auto found = registry.indexers.find(indexer);
  if (found == registry.indexers.end()) return false;
  const auto index = found->second.find(name);
  return index != found->second.end() && index->second == owner;
}

void SetOwner(const std::shared_ptr<const Indexer>& indexer, const std::string& name,
              const std::string& owner) {
  Registry& registry = TheRegistry();
  MutexLock lock(registry.mutex);
  std::erase_if(registry.indexers, [](const auto& entry) { return entry.first.expired(); });
  registry.indexers[indexer][name] = owner;
}

}  // namespace

Status AddIndexOnce(SharedInformer& informer, const std::string& name, IndexFunction function,
                    const std::string& owner) {
  const std::shared_ptr<const Indexer> indexer = informer.indexer();
  if (IsOwner(indexer, name, owner)) return Status::Ok();
  if (Status status = informer.AddIndex(name, std::move(function)); !status.ok()) return status;
  SetOwner(indexer, name, owner);
  return Status::Ok();
}

}  // namespace capstan
