#pragma once

/// JSON scalars and their assignment to fields.

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

/// The name of the kind for messages, such as "a number".
std::string_view NameOf(Scalar::Kind kind);
/// What a field of this kind expects, for messages.
std::string_view ExpectedFor(FieldKind kind);
Status Mismatch(std::string_view expected, std::string_view found);

/// Sets the value of kind `kind` at `slot`. Malformed if the scalar does not fit.
Status AssignScalar(FieldKind kind, void* slot, const Scalar& scalar);

}  // namespace capstan::internal
