#include "apiserver/schema/schema.h"

#include <algorithm>

namespace capstan::testing::server {

const Field* ObjectType::Find(std::string_view field) const {
  const auto place =
      std::lower_bound(fields.begin(), fields.end(), field,
                       [](const Field& a, std::string_view wanted) { return a.name < wanted; });
  return place != fields.end() && place->name == field ? &*place : nullptr;
}

const ObjectType* SchemaSet::Find(std::string_view name) const {
  if (const auto place = types_.find(name); place != types_.end()) return place->second.get();
  const auto other = names_.find(name);
  return other == names_.end() ? nullptr : other->second;
}

std::vector<const ObjectType*> SchemaSet::All() const {
  std::vector<const ObjectType*> all;
  all.reserve(types_.size());
  for (const auto& [name, type] : types_) all.push_back(type.get());
  return all;
}

}  // namespace capstan::testing::server
