#pragma once

// The API's patch formats as functions from a value to a value. What a patch asks for that cannot
// be is an error with the API's status code and text: BadRequest for a malformed patch, Invalid
// (422) where the API says so, e.g. for a JSON Patch whose `test` fails, and 500 without a reason
// for most of what is wrong with a strategic merge patch.

#include <string>
#include <string_view>

#include <capstan/runtime/status.h>

#include "apiserver/schema/schema.h"
#include "json/value.h"

namespace capstan::testing::server {

// RFC 6902. At most 10,000 operations. As in the API, a negative index counts from the end, a
// `replace` of a member that is not there adds it, and what is not there equals null to a `test`.
Result<json::Value> ApplyJsonPatch(const json::Value& target, const json::Value& patch);
// RFC 7386.
Result<json::Value> ApplyMergePatch(const json::Value& target, const json::Value& patch);
// https://kubernetes.io/docs/tasks/manage-kubernetes-objects/update-api-object-kubectl-patch/, with
// $patch, $retainKeys, $setElementOrder/ and $deleteFromPrimitiveList/.
Result<json::Value> ApplyStrategicMergePatch(const json::Value& target, const json::Value& patch,
                                             const ObjectType& type);

// Conform's text about a type error as a strategic merge patch gets it: the API converts its
// outcome without going through JSON ("cannot convert float64 to int32").
std::string StrategicPatchTypeError(std::string_view conform_error);

}  // namespace capstan::testing::server
