#pragma once

/// Keeps the catalog in line with CustomResourceDefinitions.

#include "apiserver/schema/resource.h"

namespace capstan::testing::server {

/// Serves the resources of a definition and stops serving versions that it no longer serves. Call
/// it for each definition that is created or updated. A definition with unaccepted names or an
/// invalid schema serves nothing.
void ApplyDefinition(ResourceCatalog& catalog, const json::Value& definition);
/// Stops serving the resources of a removed definition.
void ForgetDefinition(ResourceCatalog& catalog, const json::Value& definition);

}  // namespace capstan::testing::server
