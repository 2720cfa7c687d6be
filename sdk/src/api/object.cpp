#include <capstan/api/object.h>

#include <string>

#include "api/object_decoder.h"
#include "base/json/rapidjson.h"

namespace capstan {

std::shared_ptr<void> NewObject(const TypeDescriptor& type) { return type.make(nullptr); }

std::shared_ptr<void> CopyObject(const TypeDescriptor& type, const void* object) {
  return type.make(object);
}

Status DecodeJson(const TypeDescriptor& type, std::string_view json, void* object,
                  const FieldSet& fields) {
  std::string text(json);
  ObjectDecoder decoder;
  decoder.Start(type, object, fields);
  if (Status status = json::ParseInPlace(text, decoder); !status.ok()) return status;
  return decoder.status();
}

}  // namespace capstan
