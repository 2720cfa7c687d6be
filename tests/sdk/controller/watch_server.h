#pragma once

// WatchServer: a Transport that serves lists and watches across all namespaces.

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <capstan/api/object.h>
#include <capstan/client/transport.h>
#include <capstan/runtime/runtime.h>

namespace capstan {

class WatchServer : public Transport {
 public:
  explicit WatchServer(Runtime& runtime) : changed_(runtime.NewCondition()) {}

  // Adds or replaces an object.
  template <ApiObject T>
  void Put(T object) {
    const std::string name = api::NameOf(object.metadata).ToString();
    MutexLock lock(mutex_);
    Collection& collection = collections_[PathOf<T>()];
    const bool known = collection.objects.contains(name);
    object.metadata.resourceVersion = std::to_string(++version_);
    collection.objects[name] = ToJson(object);
    Tell(collection, known ? "MODIFIED" : "ADDED", collection.objects[name]);
  }
  template <ApiObject T>
  void Remove(const NamespacedName& name) {
    MutexLock lock(mutex_);
    Collection& collection = collections_[PathOf<T>()];
    const std::string json = std::move(collection.objects[name.ToString()]);
    collection.objects.erase(name.ToString());
    ++version_;
    Tell(collection, "DELETED", json);
  }
  // Lists and new watches of T block until Release.
  template <ApiObject T>
  void Hold() {
    MutexLock lock(mutex_);
    held_.insert(PathOf<T>());
  }
  template <ApiObject T>
  void Release() {
    MutexLock lock(mutex_);
    held_.erase(PathOf<T>());
    changed_->NotifyAll();
  }

  Result<std::unique_ptr<HttpResponse>> RoundTrip(const HttpRequest& request,
                                                  std::stop_token stop) override {
    const size_t question = request.target.find('?');
    const std::string path = request.target.substr(0, question);
    const std::string query = question == std::string::npos ? "" : request.target.substr(question);
    const bool is_watch = query.find("watch=") != std::string::npos;
    StopWaker waker(stop, mutex_, *changed_);
    MutexLock lock(mutex_);
    while (held_.contains(path) && !stop.stop_requested()) changed_->Wait(mutex_);
    if (stop.stop_requested()) return Status::Canceled();
    auto response = std::make_unique<Response>(*this, path, is_watch, stop);
    if (query.find("sendInitialEvents=true") != std::string::npos) {
      response->pending_ = InitialEvents(path);
      response->seen_ = version_;
    } else if (is_watch) {
      response->seen_ = VersionIn(query);
    } else {
      response->pending_ = List(path);
    }
    return std::unique_ptr<HttpResponse>(std::move(response));
  }

 private:
  struct Change {
    uint64_t version;
    std::string line;
  };
  struct Collection {
    std::map<std::string, std::string> objects;
    std::vector<Change> changes;
  };

  class Response : public HttpResponse {
   public:
    Response(WatchServer& server, std::string path, bool is_watch, std::stop_token stop)
        : server_(server), path_(std::move(path)), is_watch_(is_watch), stop_(std::move(stop)) {}
    int status() const override { return 200; }
    std::string Header(std::string_view name) const override {
      return name == "Content-Type" ? "application/json" : "";
    }
    Result<size_t> Read(char* buffer, size_t size) override {
      StopWaker waker(stop_, server_.mutex_, *server_.changed_);
      MutexLock lock(server_.mutex_);
      while (is_watch_ && pending_.empty()) {
        if (stop_.stop_requested()) return Status::Canceled();
        for (const Change& change : server_.collections_[path_].changes) {
          if (change.version <= seen_) continue;
          pending_ += change.line;
          seen_ = change.version;
        }
        if (pending_.empty()) server_.changed_->Wait(server_.mutex_);
      }
      const size_t count = std::min(size, pending_.size());
      std::memcpy(buffer, pending_.data(), count);
      pending_.erase(0, count);
      return count;
    }

    std::string pending_;
    uint64_t seen_ = 0;

   private:
    WatchServer& server_;
    const std::string path_;
    const bool is_watch_;
    const std::stop_token stop_;
  };

  template <ApiObject T>
  static std::string PathOf() {
    const ResourceInfo& resource = ResourceOf<T>();
    const std::string root = resource.group[0] == '\0' ? "/api/" : "/apis/";
    return root + resource.ApiVersion() + "/" + resource.resource;
  }
  static uint64_t VersionIn(const std::string& query) {
    const std::string key = "&resourceVersion=";
    const size_t at = query.find(key);
    return at == std::string::npos ? 0 : std::stoull(query.substr(at + key.size()));
  }
  void Tell(Collection& collection, const std::string& type, const std::string& json)
      CAPSTAN_REQUIRES(mutex_) {
    std::string line = "{\"type\":\"" + type + "\",\"object\":" + json + "}\n";
    collection.changes.push_back({version_, std::move(line)});
    changed_->NotifyAll();
  }
  std::string InitialEvents(const std::string& path) CAPSTAN_REQUIRES(mutex_) {
    std::string lines;
    for (const auto& [name, json] : collections_[path].objects) {
      lines += R"({"type":"ADDED","object":)" + json + "}\n";
    }
    return lines + R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":")" +
           std::to_string(version_) + R"(","annotations":{"k8s.io/initial-events-end":"true"}}}})" +
           "\n";
  }
  std::string List(const std::string& path) CAPSTAN_REQUIRES(mutex_) {
    std::string items;
    for (const auto& [name, json] : collections_[path].objects) {
      items += (items.empty() ? "" : ",") + json;
    }
    return "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"" +
           std::to_string(version_) + "\"},\"items\":[" + items + "]}";
  }

  const std::unique_ptr<Condition> changed_;
  Mutex mutex_;
  uint64_t version_ CAPSTAN_GUARDED_BY(mutex_) = 1;
  std::map<std::string, Collection> collections_ CAPSTAN_GUARDED_BY(mutex_);
  std::set<std::string> held_ CAPSTAN_GUARDED_BY(mutex_);
};

}  // namespace capstan
