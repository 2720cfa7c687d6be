#include "client/rest/wire_format.h"

#include <capstan/runtime/format.h>

#include "api/protobuf/message_decoder.h"
#include "base/text/ascii.h"

namespace capstan {

std::string AcceptFor(const TypeDescriptor& type, const FieldSet& fields, std::string_view partial,
                      bool allow_protobuf) {
  std::string accept;
  const auto add = [&accept](std::string_view clause, std::string_view parameters = {}) {
    if (!accept.empty()) accept += ',';
    accept.append(clause).append(parameters);
  };
  const bool protobuf = allow_protobuf && protobuf::TravelsAsProtobuf(type, fields);
  if (type.resource && type.resource->metadata_only) {
    const std::string parameters = Format(";as={};g=meta.k8s.io;v=v1", partial);
    if (protobuf) add(kProtobufType, parameters);
    add(kJsonType, parameters);
  } else if (protobuf) {
    add(kProtobufType);
  }
  add(kJsonType);
  return accept;
}

WireFormat FormatOf(std::string_view content_type) {
  const std::string_view name = content_type.substr(0, content_type.find(';'));
  return text::EqualIgnoringCase(name, kProtobufType) ? WireFormat::kProtobuf : WireFormat::kJson;
}

}  // namespace capstan
