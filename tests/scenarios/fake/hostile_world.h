#pragma once

#include <string>

#include "fake_world.h"
#include "json/value.h"

namespace capstan::scenarios {

// Objects that no validation would accept. An older or a different server may have stored them.
//
// A case is an object with these members. All but "why" are optional:
//   why            what is wrong, for whoever reads it
//   deployment     a merge patch of the sound Deployment "hostile"
//   replica_sets   a list of merge patches of its sound ReplicaSet
//   pods           a list of merge patches of a sound pod of that ReplicaSet
//   expect         what must come about: see Expectation in hostile_test.cpp
inline constexpr char kHostileNamespace[] = "hostile";

// Writes the case's objects past the API into the server's store.
void StoreHostileObjects(FakeWorld& world, const json::Value& hostile_case);

}  // namespace capstan::scenarios
