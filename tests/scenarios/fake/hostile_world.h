#pragma once

#include <string>

#include "fake_world.h"
#include "json/value.h"

namespace capstan::scenarios {

// Objects that no validation would accept. An older or a different server may have stored them.
//
// A case is an object with these members. All but "why" are optional:
//   why            what is wrong, for readers of the case
//   deployment     a merge patch of the valid Deployment "hostile"
//   replica_sets   a list of merge patches of its valid ReplicaSet
//   pods           a list of merge patches of a valid pod of that ReplicaSet
//   expect         the expected results, see Expectation in hostile_test.cpp
inline constexpr char kHostileNamespace[] = "hostile";

// Writes the case's objects directly into the server's store, bypassing the API.
void StoreHostileObjects(FakeWorld& world, const json::Value& hostile_case);

}  // namespace capstan::scenarios
