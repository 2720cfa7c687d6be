#pragma once

// The bodies of patches and deletions.

#include <string>
#include <string_view>

#include <capstan/client/client.h>

namespace capstan {

// The merge patch `difference` (of DiffMergePatch) with the resourceVersion and UID of `metadata`,
// so that it applies to that very state of that very object. For the subresource "status" the spec
// is taken out. "" when nothing is left to be patched.
Result<std::string> GuardedMergePatch(std::string difference, const api::ObjectMeta& metadata,
                                      std::string_view subresource);

// A v1 DeleteOptions.
std::string DeleteOptionsJson(const DeleteOptions& options);

std::string_view ContentTypeOf(PatchType patch);

}  // namespace capstan
