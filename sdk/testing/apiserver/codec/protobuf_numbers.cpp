#include "apiserver/codec/protobuf_numbers.h"

#include <string>
#include <unordered_map>

namespace capstan::testing::server {
namespace {

using NumbersByType = std::unordered_map<const ObjectType*, NumberedFields>;

NumbersByType NumberAll() {
  NumbersByType all;
  for (const ObjectType* type : SchemaSet::BuiltIn().All()) {
    for (const Field& field : type->fields) {
      if (field.number.empty()) continue;
      NumberedFields* message = &all[type];
      for (size_t i = 0; i + 1 < field.number.size(); ++i) {
        message = &message->embedded[field.number[i]];
      }
      message->fields.emplace(field.number.back(), &field);
    }
  }
  return all;
}

}  // namespace

const NumberedFields* NumbersOf(const ObjectType& type) {
  static const NumbersByType all = NumberAll();
  const auto found = all.find(&type);
  return found == all.end() ? nullptr : &found->second;
}

const ObjectType* TypeOfKind(std::string_view api_version, std::string_view kind) {
  const SchemaSet& schemas = SchemaSet::BuiltIn();
  const ObjectType* type = schemas.Find(std::string(api_version).append(".").append(kind));
  return type ? type : schemas.Find(std::string("v1.").append(kind));
}

}  // namespace capstan::testing::server
