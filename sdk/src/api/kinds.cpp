// The tables of all kinds, generated from their registration in the headers. Compiled without a
// precompiled header: the macro must be defined before the first of them is included.
#define CAPSTAN_INTERNAL_EMIT_TABLES

#include <capstan/api/kinds.h>

namespace capstan {

std::span<const TypeDescriptor* const> TypedKinds() {
#define CAPSTAN_KIND_TYPE(space, Kind) &DescriptorOf<api::space::Kind>(),
  static const TypeDescriptor* const kKinds[] = {CAPSTAN_KINDS(CAPSTAN_KIND_TYPE)};
#undef CAPSTAN_KIND_TYPE
  return kKinds;
}

}  // namespace capstan
