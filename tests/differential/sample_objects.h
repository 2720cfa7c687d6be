#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dice.h"
#include "json/value.h"

namespace capstan::differential {

struct SampleKind {
  std::string api_version;  // "apps/v1"
  std::string resource;     // "deployments"
  std::string kind;
  bool namespaced = true;
  bool status = false;
  bool scale = false;
  int weight = 1;  // relative frequency

  // "/apis/apps/v1" or "/api/v1"
  std::string Root() const;
};

// All kinds that calls use. The last one is the custom resource of WidgetDefinition.
const std::vector<SampleKind>& SampleKinds();
const SampleKind& KindOf(std::string_view resource);
json::Value WidgetDefinition();

// A valid object, without a namespace.
json::Value SampleObject(const SampleKind& kind, const std::string& name, Dice& dice);
// Merge patches for the kind, valid and invalid.
std::string SamplePatch(const SampleKind& kind, const std::string& collection, Dice& dice);
std::string SampleJsonPatch(const SampleKind& kind, Dice& dice);
// The value of a "status" member.
std::string SampleStatus(const SampleKind& kind, Dice& dice);

// Parses valid JSON.
json::Value Parsed(const std::string& text);

}  // namespace capstan::differential
