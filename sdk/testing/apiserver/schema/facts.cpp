#include "apiserver/schema/facts.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "apiserver/schema/facts_reader.h"
#include "apiserver/schema/facts_text.h"
#include "apiserver/schema/schema.h"

namespace capstan::testing::server {
namespace {

// Types and resources come from the same texts.
struct BuiltIns {
  SchemaSet types;
  std::vector<ResourceFacts> resources;
};

Status ReadAll(BuiltIns& made) {
  FactsReader reader(made.types, made.resources);
  for (const auto& text : {KubernetesFacts(), OptionsFacts()}) {
    for (const std::string_view part : text) {
      if (Status status = reader.Read(part); !status.ok()) return status;
    }
  }
  for (const std::string_view part : DescriptionsFacts()) {
    if (Status status = reader.Describe(part); !status.ok()) return status;
  }
  return reader.Finish();
}

// Never destroyed, because types are used until the program exits.
const BuiltIns& TheBuiltIns() {
  static const BuiltIns* const built_ins = [] {
    auto* made = new BuiltIns;
    if (Status status = ReadAll(*made); !status.ok()) {
      // The texts are part of the program, so an error cannot be handled.
      std::fprintf(stderr, "%s\n", status.ToString().c_str());
      std::abort();
    }
    return made;
  }();
  return *built_ins;
}

}  // namespace

const SchemaSet& SchemaSet::BuiltIn() { return TheBuiltIns().types; }

const SubresourceFacts* ResourceFacts::FindSubresource(std::string_view subresource) const {
  const auto found =
      std::find_if(subresources.begin(), subresources.end(),
                   [subresource](const SubresourceFacts& one) { return one.name == subresource; });
  return found == subresources.end() ? nullptr : &*found;
}

const std::vector<ResourceFacts>& BuiltInFacts() { return TheBuiltIns().resources; }

const ResourceFacts* FindFacts(std::string_view resource) {
  for (const ResourceFacts& facts : BuiltInFacts()) {
    const size_t space = facts.api_version.size();
    if (resource.size() == space + 1 + facts.name.size() &&
        resource.starts_with(facts.api_version) && resource[space] == ' ' &&
        resource.ends_with(facts.name)) {
      return &facts;
    }
  }
  return nullptr;
}

}  // namespace capstan::testing::server
