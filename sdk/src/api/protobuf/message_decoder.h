#pragma once

/// Decodes protobuf messages into objects of described types, by the field numbers of the
/// descriptors. The result is the same as that of decoding the server's JSON of the object.

#include <string_view>

#include <capstan/api/descriptor.h>
#include <capstan/api/field_set.h>
#include <capstan/api/meta_v1.h>
#include <capstan/runtime/status.h>

namespace capstan::protobuf {

/// Whether objects of `type` can be decoded from protobuf: all kept fields have a number, and none
/// is carried as raw JSON. Of a type with metadata only, the metadata counts.
bool TravelsAsProtobuf(const TypeDescriptor& type, const FieldSet& fields);

/// Decodes a message without an envelope into `object`, which must be newly constructed. Skips
/// unknown fields, and fields that are not in `fields`. The error is Malformed and names the path,
/// as that of DecodeJson.
Status DecodeMessage(const TypeDescriptor& type, std::string_view message, void* object,
                     const FieldSet& fields = {});

/// The metadata of an object that does not decode, as far as it can be read.
struct ObjectIdentity {
  NamespacedName name;
  std::string resource_version;
};
ObjectIdentity IdentityIn(std::string_view message);

}  // namespace capstan::protobuf
