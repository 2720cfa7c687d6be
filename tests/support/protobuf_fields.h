#pragma once

// The widest set of fields that a type can be decoded with from protobuf.

#include <string>
#include <string_view>
#include <vector>

#include <capstan/api/descriptor.h>
#include <capstan/api/field_set.h>

namespace capstan::testing {

inline void AppendPathsOfNumbers(const TypeDescriptor& type, const std::string& prefix,
                                 std::vector<std::string>& paths) {
  for (uint32_t i = 0; i < type.field_count; ++i) {
    const FieldDescriptor& field = type.fields[i];
    if (field.number == 0 || field.kind == FieldKind::kRawJson) continue;
    if (field.kind == FieldKind::kObject)
      AppendPathsOfNumbers(field.nested(), prefix + field.json + ".", paths);
    else
      paths.push_back(prefix + field.json);
  }
}

inline FieldSet ProtobufFieldsOf(const TypeDescriptor& type) {
  std::vector<std::string> paths;
  AppendPathsOfNumbers(type, "", paths);
  const std::vector<std::string_view> views(paths.begin(), paths.end());
  return *FieldSet::Of(type, views);  // all paths exist
}

}  // namespace capstan::testing
