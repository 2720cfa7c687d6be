#include "apiclient/api_discovery.h"

#include <algorithm>
#include <utility>

#include <capstan/api/object.h>
#include <capstan/log/log.h>
#include <capstan/runtime/format.h>

#include "base/io/deadline_stop.h"

namespace capstan::manager {
namespace {

constexpr Duration kHealthPeriod = std::chrono::seconds(1);

struct ServedResource {
  std::string name;  // "pods", and "pods/status"
};
struct ServedResources {
  std::string kind;
  List<ServedResource> resources;
};

}  // namespace
}  // namespace capstan::manager

CAPSTAN_DEFINE_TYPE(capstan::manager::ServedResource, CAPSTAN_FIELD(name))
CAPSTAN_DEFINE_TYPE(capstan::manager::ServedResources, CAPSTAN_FIELD(kind),
                    CAPSTAN_FIELD(resources))

namespace capstan::manager {

Status AwaitServer(const Client& client, std::string_view server, Runtime& runtime,
                   Duration timeout, const std::stop_token& stop) {
  io::DeadlineStop deadline(runtime);
  const std::stop_token bounded = deadline.Begin(runtime.Now() + timeout, stop);
  const Client asking = client.WithStop(bounded);
  std::string failure = "there is no response";
  do {
    Status status = asking.GetPath("/healthz").status();
    if (status.ok()) return status;
    if (status.IsCanceled()) break;
    failure = status.ToString();
    LogWarning("The API server is not healthy yet, waiting", {{"server", server}, {"err", status}});
  } while (runtime.SleepFor(kHealthPeriod, bounded));
  if (stop.stop_requested()) return Status::Canceled();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(timeout).count();
  return {StatusReason::kTimeout,
          Format("the API server {} is not healthy after {} s: {}", server, seconds, failure)};
}

Result<RestMapper::Names> RestMapper::Read(const std::string& path) const {
  const Result<std::string> text = client_.GetPath(path);
  if (!text) {
    if (text.status().IsNotFound()) return Names();
    return text.status();
  }
  const Result<ServedResources> document = FromJson<ServedResources>(*text);
  if (!document) return document.status().WithContext(path);
  if (document->kind != "APIResourceList") {
    return Status::Malformed(Format(
        "{}: got an object of kind \"{}\" instead of an APIResourceList", path, document->kind));
  }
  Names names;
  for (const ServedResource& resource : document->resources) names.insert(resource.name);
  return names;
}

Result<std::shared_ptr<const RestMapper::Names>> RestMapper::NamesOf(const ResourceInfo& resource) {
  const std::string path = (resource.group[0] == '\0' ? "/api/" : "/apis/") + resource.ApiVersion();
  int64_t resets = 0;
  {
    MutexLock lock(mutex_);
    if (const auto known = known_.find(path); known != known_.end()) return known->second;
    resets = resets_;
  }
  Result<Names> read = Read(path);
  if (!read) return read.status();
  const auto names = std::make_shared<const Names>(*std::move(read));
  MutexLock lock(mutex_);
  if (resets == resets_) known_[path] = names;
  return names;
}

Result<bool> RestMapper::Serves(const ResourceInfo& resource) {
  const auto names = NamesOf(resource);
  if (!names) return names.status();
  return (*names)->contains(resource.resource);
}

Result<std::vector<std::string>> RestMapper::Missing(
    const std::vector<SharedInformer*>& informers) {
  std::vector<std::string> missing;
  for (const SharedInformer* informer : informers) {
    const ResourceInfo& resource = *informer->type().resource;
    std::string name = resource.resource;
    if (resource.group[0] != '\0') name.append(".").append(resource.group);
    name.append("/").append(resource.version);
    const Result<bool> served = Serves(resource);
    if (!served) return served.status().WithContext(name);
    if (*served || std::ranges::find(missing, name) != missing.end()) continue;
    missing.push_back(std::move(name));
  }
  return missing;
}

void RestMapper::Reset() {
  MutexLock lock(mutex_);
  ++resets_;
  known_.clear();
}

}  // namespace capstan::manager
