#pragma once

/// All kinds that libcapstan describes. docs/kinds.md explains how to add one.

#include <span>

#include <capstan/api/apps_v1.h>
#include <capstan/api/coordination_v1.h>
#include <capstan/api/core_v1.h>
#include <capstan/api/kind_list.h>
#include <capstan/api/meta_v1.h>
#include <capstan/export.h>

namespace capstan {

/// In the order of kind_list.h.
CAPSTAN_EXPORT std::span<const TypeDescriptor* const> TypedKinds();

}  // namespace capstan
