#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dice.h"
#include "json/value.h"

namespace capstan::differential {

// A kind that calls use, with templates (sample_template.h) of what they send. A kind is an entry
// of a file in samples/:
//   kind: apps/v1 StatefulSet      its version and name
//   resource: statefulsets
//   scope: Cluster                 only of kinds that are not namespaced
//   namespace: diff-apart          the only namespace of its objects
//   weight: 4                      relative frequency, 1 if absent
//   subresources: [status, scale]
//   object: {...}                  the members of a new object, without its metadata
//   patches: [...]                 merge patches, also for strategic merges and updates
//   json patches: [...]            JSON patches
//   statuses: [...]                values of "status" for the subresource
//   approvals: [...]               values of "status" for the subresource approval
struct SampleKind {
  std::string api_version;  // "apps/v1"
  std::string resource;     // "statefulsets"
  std::string kind;
  bool namespaced = true;
  bool status = false;
  bool scale = false;
  int weight = 1;
  std::string only_namespace;
  json::Value object;
  json::Value patches, json_patches, statuses, approvals;  // arrays

  // "/apis/apps/v1" or "/api/v1"
  std::string Root() const;
};

// All kinds that calls use, from samples/. The last one is the custom resource of WidgetDefinition.
// Throws std::logic_error when a file is wrong.
const std::vector<SampleKind>& SampleKinds();
const SampleKind& KindOf(std::string_view resource);
json::Value WidgetDefinition();

// The namespaces that calls use and never delete. Objects that change how a server treats other
// objects in their namespace (a ResourceQuota) are in the last one.
const std::vector<std::string>& SampleNamespaces();

// An object without a namespace, mostly a valid one.
json::Value SampleObject(const SampleKind& kind, const std::string& name, Dice& dice);
// Merge patches for the object `object` ("pods/NS/NAME") of the kind, valid and invalid.
std::string SamplePatch(const SampleKind& kind, const std::string& object, Dice& dice);
std::string SampleJsonPatch(const SampleKind& kind, Dice& dice);
// The value of a "status" member for the subresource "status" or "approval".
std::string SampleStatus(const SampleKind& kind, std::string_view subresource, Dice& dice);

// Parses valid JSON.
json::Value Parsed(const std::string& text);

}  // namespace capstan::differential
