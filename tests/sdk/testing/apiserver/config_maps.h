#pragma once

// A resource to read and watch, for tests without a catalog.

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "apiserver/http/request.h"
#include "apiserver/schema/resource.h"
#include "apiserver/storage/store.h"

namespace capstan::testing::server {

inline Resource ConfigMaps() {
  Resource resource;
  resource.version = "v1";
  resource.name = "configmaps";
  resource.singular = "configmap";
  resource.kind = "ConfigMap";
  resource.strategy = std::make_shared<Strategy>();
  resource.storage = "configmaps";
  return resource;
}

inline json::Value ConfigMapNamed(std::string_view name, std::string_view namespace_,
                                  const std::map<std::string, std::string>& labels = {}) {
  json::Value object = json::Value::Object({{"apiVersion", "v1"}, {"kind", "ConfigMap"}});
  object.Mutable("metadata", "name") = name;
  object.Mutable("metadata", "namespace") = namespace_;
  for (const auto& [key, value] : labels) object.Mutable("metadata", "labels", key) = value;
  return object;
}

// Creates or replaces a ConfigMap.
inline StoredObjectPtr PutConfigMap(Store& store, std::string_view name,
                                    std::string_view namespace_ = "default",
                                    const std::map<std::string, std::string>& labels = {}) {
  const NamespacedName key{std::string(namespace_), std::string(name)};
  return store.Put("configmaps", key, store.Get("configmaps", key),
                   ConfigMapNamed(name, namespace_, labels));
}

inline void RemoveConfigMap(Store& store, std::string_view name,
                            std::string_view namespace_ = "default") {
  const NamespacedName key{std::string(namespace_), std::string(name)};
  const StoredObjectPtr present = store.Get("configmaps", key);
  store.Remove("configmaps", key, present, present->value());
}

inline ApiRequest RequestFor(const Resource& resource, std::string verb, std::string_view query,
                             std::string namespace_ = "default") {
  ApiRequest request;
  request.verb = std::move(verb);
  request.resource = &resource;
  request.namespace_ = std::move(namespace_);
  request.query = *Query::Parse(query);
  return request;
}

}  // namespace capstan::testing::server
