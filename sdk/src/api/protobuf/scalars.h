#pragma once

/// The values of Kubernetes' protobuf encoding that are no nested objects.

#include <string_view>

#include <capstan/api/descriptor.h>
#include <capstan/runtime/status.h>

#include "base/protobuf/wire_reader.h"

namespace capstan::protobuf {

/// Sets the value of `field` at `slot` from the current field of `reader`, whose wire type fits.
/// Not for kObject and kStringMap.
Status ReadScalar(const FieldDescriptor& field, WireReader& reader, void* slot);

/// Why `reader` stopped early. OK if it read all of its message.
Status ErrorOf(const WireReader& reader);

/// Reads a Quantity message. `text` may be the message.
Status ReadQuantity(std::string_view message, std::string_view& text);

}  // namespace capstan::protobuf
