#pragma once

// The built-in resources that the server serves.

#include <string_view>

#include "apiserver/schema/resource.h"

namespace capstan::testing::server {

/// What a resource is beyond the facts about it.
struct KindRow {
  std::string_view resource;            // "apps/v1 deployments", as in schema/facts
  StrategyPtr (*strategy)() = nullptr;  // null: Strategy, or SpecStatusStrategy with a status
  RowPrinter print = nullptr;           // null: name and creation time
  std::string_view storage = {};        // of which resource it is another view: "events"
  KindTraits traits = {};
};

/// The resource of a row. Its names, verbs, subresources, columns and type are facts; subresources
/// without a handler (subresource/subresources.h) are left out. Throws std::logic_error when there
/// are no such facts.
Resource ResourceOf(const KindRow& row);

}  // namespace capstan::testing::server
