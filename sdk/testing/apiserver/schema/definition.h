#pragma once

// CustomResourceDefinitions and the catalog.

#include "apiserver/schema/resource.h"

namespace capstan::testing::server {

// Serves what an established definition asks for, in the place of what it asked for before. To be
// called with each definition that was created or updated. One whose names were not accepted, or
// whose schema cannot be, serves nothing.
void ApplyDefinition(ResourceCatalog& catalog, const json::Value& definition);
// A definition that is gone.
void ForgetDefinition(ResourceCatalog& catalog, const json::Value& definition);

}  // namespace capstan::testing::server
