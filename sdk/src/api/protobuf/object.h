#pragma once

/// Decodes single objects in the protobuf encoding, with their envelopes.

#include <optional>
#include <string>
#include <string_view>

#include <capstan/api/object.h>

#include "api/protobuf/message_decoder.h"

namespace capstan::protobuf {

/// Decodes `bytes` into `object`, which must be newly constructed. Malformed if the envelope names
/// another kind than that of `type`.
Status DecodeObject(const TypeDescriptor& type, std::string_view bytes, void* object,
                    const FieldSet& fields = {});

/// The metadata of an object, as far as it can be read.
ObjectIdentity IdentityOf(std::string_view bytes);

/// If `bytes` is a meta/v1 Status: the same as JSON.
std::optional<std::string> StatusAsJson(std::string_view bytes);

}  // namespace capstan::protobuf
