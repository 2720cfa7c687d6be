#pragma once

// Scalars of JSON and the fields they go into.

#include <cstdint>
#include <string>
#include <string_view>

#include <capstan/api/descriptor.h>
#include <capstan/runtime/status.h>

namespace capstan::internal {

struct Scalar {
  enum class Kind : uint8_t { kNull, kBool, kNumber, kString };
  Kind kind;
  bool flag = false;
  std::string_view text;
};

// "a number", for messages.
std::string_view NameOf(Scalar::Kind kind);
// What a field of this kind wants, for messages.
std::string_view ExpectedFor(FieldKind kind);
Status Mismatch(std::string_view expected, std::string_view found);

// Sets the value at `slot`, of kind `kind`. Malformed when the scalar does not fit it.
Status AssignScalar(FieldKind kind, void* slot, const Scalar& scalar);

}  // namespace capstan::internal
