#pragma once

// The API's patch formats as functions from a value to a value. What a patch asks for that can not
// be is an error with the API's status code and text: BadRequest for a malformed patch, Invalid
// (422) where the API says so, e.g. for a JSON Patch whose `test` fails.

#include "json/value.h"
#include "testing/server/schema.h"

namespace capstan::testing::server {

// RFC 6902. At most 10,000 operations.
Result<json::Value> ApplyJsonPatch(const json::Value& target, const json::Value& patch);
// RFC 7386.
Result<json::Value> ApplyMergePatch(const json::Value& target, const json::Value& patch);
// https://kubernetes.io/docs/tasks/manage-kubernetes-objects/update-api-object-kubectl-patch/, with
// $patch, $retainKeys, $setElementOrder/ and $deleteFromPrimitiveList/.
Result<json::Value> ApplyStrategicMergePatch(const json::Value& target, const json::Value& patch,
                                             const ObjectType& type);

}  // namespace capstan::testing::server
