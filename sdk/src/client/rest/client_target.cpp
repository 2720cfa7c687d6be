#include "client/rest/client_target.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

#include <capstan/runtime/format.h>

#include "base/text/percent.h"

namespace capstan {
namespace {

class Query {
 public:
  void Add(std::string_view key, std::string_view value) {
    text_ += text_.empty() ? '?' : '&';
    text_.append(key).append("=").append(text::PercentEncoded(value));
  }
  void AddUnlessEmpty(std::string_view key, std::string_view value) {
    if (!value.empty()) Add(key, value);
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

// The rule of the API server for a segment of a path (apimachinery's path validation).
Status CheckSegment(std::string_view what, std::string_view text) {
  if (text.empty()) return Status::InvalidArgument(Format("the {} is empty", what));
  if (text == "." || text == ".." || text.find_first_of("/%") != std::string_view::npos) {
    return Status::InvalidArgument(Format("\"{}\" cannot be a {}", text, what));
  }
  return Status::Ok();
}

}  // namespace

Result<std::string> CollectionPath(const TypeDescriptor& type, std::string_view namespace_) {
  if (!type.resource) {
    return Status::InvalidArgument(Format("{} is not an API resource", type.name));
  }
  const ResourceInfo& resource = *type.resource;
  std::string path = resource.group[0] == '\0' ? "/api/" : "/apis/";
  path += resource.ApiVersion();
  if (!namespace_.empty()) {
    if (!resource.namespaced) {
      return Status::InvalidArgument(Format("{} are not namespaced, but namespace \"{}\" was given",
                                            QualifiedResource(type), namespace_));
    }
    if (Status status = CheckSegment("namespace", namespace_); !status.ok()) return status;
    path.append("/namespaces/").append(text::PercentEncoded(namespace_));
  }
  return path.append("/").append(resource.resource);
}

Result<std::string> ObjectPath(const TypeDescriptor& type, const NamespacedName& name,
                               std::string_view subresource) {
  Result<std::string> path = CollectionPath(type, name.namespace_);
  if (!path) return path;
  const std::string what = "name of " + QualifiedResource(type);
  if (Status status = CheckSegment(what, name.name); !status.ok()) return status;
  if (type.resource->namespaced && name.namespace_.empty()) {
    return Status::InvalidArgument(
        Format("{} \"{}\" needs a namespace", QualifiedResource(type), name.name));
  }
  path->append("/").append(text::PercentEncoded(name.name));
  if (subresource.empty()) return path;
  if (Status status = CheckSegment("subresource", subresource); !status.ok()) return status;
  path->append("/").append(text::PercentEncoded(subresource));
  return path;
}

std::string QueryOf(const ListOptions& options) {
  Query query;
  if (options.limit > 0) query.Add("limit", std::to_string(options.limit));
  query.AddUnlessEmpty("continue", options.continue_token);
  query.AddUnlessEmpty("labelSelector", options.label_selector);
  query.AddUnlessEmpty("fieldSelector", options.field_selector);
  query.AddUnlessEmpty("resourceVersion", options.resource_version);
  query.AddUnlessEmpty("resourceVersionMatch", options.resource_version_match);
  return query.Take();
}

std::string QueryOf(const WatchOptions& options) {
  Query query;
  query.Add("watch", "true");
  if (options.allow_bookmarks) query.Add("allowWatchBookmarks", "true");
  if (options.send_initial_events) {
    query.Add("sendInitialEvents", "true");
    query.Add("resourceVersionMatch", "NotOlderThan");
  }
  query.AddUnlessEmpty("labelSelector", options.label_selector);
  query.AddUnlessEmpty("fieldSelector", options.field_selector);
  query.AddUnlessEmpty("resourceVersion", options.resource_version);
  if (options.timeout) {
    const int64_t seconds =
        std::chrono::duration_cast<std::chrono::seconds>(*options.timeout).count();
    query.Add("timeoutSeconds", std::to_string(std::max<int64_t>(1, seconds)));
  }
  return query.Take();
}

std::string QualifiedResource(const TypeDescriptor& type) {
  if (!type.resource) return type.name;
  std::string name = type.resource->resource;
  if (type.resource->group[0] != '\0') name.append(".").append(type.resource->group);
  return name;
}

}  // namespace capstan
