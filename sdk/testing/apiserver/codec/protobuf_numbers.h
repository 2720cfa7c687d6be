#pragma once

/// The fields of the built-in types by their protobuf numbers.

#include <cstdint>
#include <map>
#include <string_view>

#include "apiserver/schema/schema.h"

namespace capstan::testing::server {

/// The fields of a message by number, and the embedded messages that have no name in JSON.
struct NumberedFields {
  std::map<uint32_t, const Field*> fields;
  std::map<uint32_t, NumberedFields> embedded;
};

/// Null for a type without protobuf encoding.
const NumberedFields* NumbersOf(const ObjectType& type);

/// Returns the type of a kind, or null. Options (DeleteOptions) have a kind in every group.
const ObjectType* TypeOfKind(std::string_view api_version, std::string_view kind);

}  // namespace capstan::testing::server
