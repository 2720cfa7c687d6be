#pragma once

// Pods for the tests of this folder.

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/api/core_v1.h>
#include <capstan/api/object.h>
#include <capstan/runtime/format.h>

namespace capstan::testing {

using api::core::v1::Pod;

/// The targets of the first list of all pods, of a consistent one, and of a list by watch.
inline constexpr const char* kPodList = "/api/v1/pods?limit=500&resourceVersion=0";
inline constexpr const char* kConsistentPodList = "/api/v1/pods?limit=500";
inline constexpr const char* kPodWatchList =
    "/api/v1/pods?watch=true&allowWatchBookmarks=true&sendInitialEvents=true*";
inline constexpr std::string_view kEndOfInitialEvents =
    R"({"metadata":{"resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}}})";
inline constexpr std::string_view kOwnerUid = "6f1e0a34-5a3c-4f0a-9e1f-0000000000aa";

inline std::shared_ptr<Pod> NewPod(std::string_view namespace_, std::string_view name,
                                   std::string_view version = "1", std::string_view owner = {}) {
  auto pod = std::make_shared<Pod>();
  pod->metadata.namespace_ = namespace_;
  pod->metadata.name = name;
  pod->metadata.resourceVersion = version;
  if (!owner.empty()) {
    api::OwnerReference reference;
    reference.uid = Uid(owner);
    reference.controller = true;
    pod->metadata.ownerReferences.push_back(reference);
  }
  return pod;
}

inline const Pod& AsPod(const ObjectPtr& object) { return *static_cast<const Pod*>(object.get()); }

inline std::string PodJson(std::string_view name, std::string_view version) {
  return Format(R"({{"metadata":{{"name":"{}","namespace":"ns","resourceVersion":"{}"}}}})", name,
                version);
}

/// A PodList of JSON objects.
inline std::string PodListJson(std::string_view version, const std::vector<std::string>& items,
                               std::string_view continue_token = {}) {
  std::string json = Format(R"({{"kind":"PodList","apiVersion":"v1",)"
                            R"("metadata":{{"resourceVersion":"{}","continue":"{}"}},"items":[)",
                            version, continue_token);
  for (const std::string& item : items) {
    if (json.back() != '[') json += ',';
    json += item;
  }
  return json + "]}";
}

/// "name@resourceVersion" of each object, sorted.
inline std::vector<std::string> Versions(const std::vector<ObjectPtr>& objects) {
  std::vector<std::string> texts;
  for (const ObjectPtr& object : objects) {
    const api::ObjectMeta& metadata = AsPod(object).metadata;
    texts.push_back(metadata.name + "@" + metadata.resourceVersion);
  }
  std::ranges::sort(texts);
  return texts;
}

}  // namespace capstan::testing
