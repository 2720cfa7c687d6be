#include "apiserver/schema/schema.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "apiserver/schema/schema_reader.h"
#include "apiserver/schema/schema_text.h"

namespace capstan::testing::server {

const Field* ObjectType::Find(std::string_view field) const {
  const auto place =
      std::lower_bound(fields.begin(), fields.end(), field,
                       [](const Field& a, std::string_view wanted) { return a.name < wanted; });
  return place != fields.end() && place->name == field ? &*place : nullptr;
}

const SchemaSet& SchemaSet::BuiltIn() {
  // Never destroyed, as types are used until the end of the program.
  static const SchemaSet* const set = [] {
    auto* made = new SchemaSet;
    SchemaReader reader(*made);
    Status status;
    for (const std::string_view text :
         {kMetaTypes, kCoreTypes, kPodTypes, kContainerTypes, kVolumesTypes, kAppsTypes,
          kApiextensionsTypes, kAccessTypes}) {
      if (status.ok()) status = reader.Read(text);
    }
    if (status.ok()) status = reader.Finish();
    if (!status.ok()) {
      // The table is part of the program: nobody could go on without it.
      std::fprintf(stderr, "%s\n", status.ToString().c_str());
      std::abort();
    }
    return made;
  }();
  return *set;
}

const ObjectType* SchemaSet::Find(std::string_view name) const {
  const auto place = types_.find(name);
  return place == types_.end() ? nullptr : place->second.get();
}

std::vector<const ObjectType*> SchemaSet::All() const {
  std::vector<const ObjectType*> all;
  all.reserve(types_.size());
  for (const auto& [name, type] : types_) all.push_back(type.get());
  return all;
}

}  // namespace capstan::testing::server
