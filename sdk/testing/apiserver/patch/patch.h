#pragma once

/// The API's patch formats as functions from a value to a value. Errors have the API's status code
/// and text: BadRequest for a malformed patch, Invalid (422) where the API uses it (e.g. a JSON
/// Patch whose `test` fails), and 500 without a reason for most errors in strategic merge patches.

#include <string>
#include <string_view>

#include <capstan/runtime/status.h>

#include "apiserver/schema/schema.h"
#include "json/value.h"

namespace capstan::testing::server {

/// JSON Patch (RFC 6902), with at most 10,000 operations. As in the API, a negative index counts
/// from the end, `replace` adds a missing member, and `test` treats a missing member as null.
Result<json::Value> ApplyJsonPatch(const json::Value& target, const json::Value& patch);
/// Merge patch (RFC 7386).
Result<json::Value> ApplyMergePatch(const json::Value& target, const json::Value& patch);
/// https://kubernetes.io/docs/tasks/manage-kubernetes-objects/update-api-object-kubectl-patch/,
/// with $patch, $retainKeys, $setElementOrder/ and $deleteFromPrimitiveList/.
Result<json::Value> ApplyStrategicMergePatch(const json::Value& target, const json::Value& patch,
                                             const ObjectType& type);

/// Converts Conform's text for a type error to the text of a strategic merge patch. For these the
/// API converts the result without JSON ("cannot convert float64 to int32").
std::string StrategicPatchTypeError(std::string_view conform_error);

}  // namespace capstan::testing::server
