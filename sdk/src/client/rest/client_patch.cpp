#include "client/rest/client_patch.h"

#include <utility>

#include "base/json/json_text.h"
#include "base/json/json_tree.h"

namespace capstan {
namespace {

std::string_view NameOf(PropagationPolicy policy) {
  switch (policy) {
    case PropagationPolicy::kDefault:
      break;
    case PropagationPolicy::kBackground:
      return "Background";
    case PropagationPolicy::kForeground:
      return "Foreground";
    case PropagationPolicy::kOrphan:
      return "Orphan";
  }
  return {};
}

bool IsGuard(std::string_view member) { return member == "resourceVersion" || member == "uid"; }

// Appends the changes of the metadata, if any, and its guards. Returns whether there are changes.
bool AppendMetadata(std::string& out, const json::Node* changes, const api::ObjectMeta& metadata) {
  bool changed = false;
  json::ObjectWriter writer(out);
  if (changes) {
    for (const json::Node& member : changes->children) {
      if (IsGuard(member.key)) continue;
      changed = true;
      writer.Key(member.key);
      json::AppendNode(out, member);
    }
  }
  writer.Key("resourceVersion");
  json::AppendString(out, metadata.resourceVersion);
  if (!metadata.uid.empty()) {
    writer.Key("uid");
    json::AppendString(out, metadata.uid.str());
  }
  writer.End();
  return changed;
}

}  // namespace

Result<std::string> GuardedMergePatch(std::string difference, const api::ObjectMeta& metadata,
                                      std::string_view subresource) {
  if (difference.empty()) return difference;
  Result<json::Document> document = json::Document::Parse(std::move(difference));
  if (!document) return document.status().WithContext("merge patch");
  const json::Node& root = document->root();
  std::string patch;
  json::ObjectWriter writer(patch);
  writer.Key("metadata");
  bool changed = AppendMetadata(patch, root.Find("metadata"), metadata);
  for (const json::Node& member : root.children) {
    if (member.key == "metadata" || (subresource == "status" && member.key == "spec")) continue;
    changed = true;
    writer.Key(member.key);
    json::AppendNode(patch, member);
  }
  writer.End();
  return changed ? patch : std::string();
}

std::string DeleteOptionsJson(const DeleteOptions& options) {
  std::string body;
  json::ObjectWriter writer(body);
  writer.Key("apiVersion");
  json::AppendString(body, "v1");
  writer.Key("kind");
  json::AppendString(body, "DeleteOptions");
  if (options.grace_period_seconds) {
    writer.Key("gracePeriodSeconds");
    body += std::to_string(*options.grace_period_seconds);
  }
  if (options.propagation != PropagationPolicy::kDefault) {
    writer.Key("propagationPolicy");
    json::AppendString(body, NameOf(options.propagation));
  }
  if (options.uid || options.resource_version) {
    writer.Key("preconditions");
    json::ObjectWriter preconditions(body);
    if (options.uid) {
      preconditions.Key("uid");
      json::AppendString(body, options.uid->str());
    }
    if (options.resource_version) {
      preconditions.Key("resourceVersion");
      json::AppendString(body, *options.resource_version);
    }
    preconditions.End();
  }
  writer.End();
  return body;
}

std::string_view ContentTypeOf(PatchType patch) {
  switch (patch) {
    case PatchType::kMerge:
      break;
    case PatchType::kStrategicMerge:
      return "application/strategic-merge-patch+json";
    case PatchType::kJson:
      return "application/json-patch+json";
  }
  return "application/merge-patch+json";
}

}  // namespace capstan
