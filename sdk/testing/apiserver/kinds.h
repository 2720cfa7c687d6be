#pragma once

/// The built-in resources that the server serves.

#include <string_view>

#include "apiserver/schema/resource.h"

namespace capstan::testing::server {

/// The properties of a built-in resource that the facts do not contain.
struct KindRow {
  std::string_view resource;            ///< "apps/v1 deployments", as in schema/facts
  StrategyPtr (*strategy)() = nullptr;  ///< null: Strategy, or SpecStatusStrategy with a status
  RowPrinter print = nullptr;           ///< null: name and creation time
  std::string_view storage = {};        ///< the resource whose objects it shares: "events"
  KindTraits traits = {};
};

/// Returns the resource of a row. Its names, verbs, subresources, columns and type come from the
/// facts. Subresources without a handler (subresource/subresources.h) are omitted. Throws
/// std::logic_error if the facts do not contain the resource.
Resource ResourceOf(const KindRow& row);

}  // namespace capstan::testing::server
