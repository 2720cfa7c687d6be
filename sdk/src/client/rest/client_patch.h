#pragma once

/// The bodies of patch and delete requests.

#include <string>
#include <string_view>

#include <capstan/client/client.h>

namespace capstan {

/// The merge patch `difference` (from DiffMergePatch) with the resourceVersion and UID of
/// `metadata`, so that it only applies to this state of this object. For the subresource "status",
/// the spec is removed. Returns "" if nothing is left to patch.
Result<std::string> GuardedMergePatch(std::string difference, const api::ObjectMeta& metadata,
                                      std::string_view subresource);

/// A v1 DeleteOptions.
std::string DeleteOptionsJson(const DeleteOptions& options);

std::string_view ContentTypeOf(PatchType patch);

}  // namespace capstan
