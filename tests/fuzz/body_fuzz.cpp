// Input: a content type, a line break, the body of a Pod.

#include <string>
#include <vector>

#include "apiserver/codec/decoding.h"
#include "apiserver/schema/schema.h"
#include "fuzz_target.h"
#include "json/value.h"

CAPSTAN_FUZZ_TARGET(body) {
  using namespace capstan;
  using namespace capstan::testing::server;
  static const ObjectType& type = *SchemaSet::BuiltIn().Find("v1.Pod");
  const size_t end = input.find('\n');
  if (end == std::string_view::npos) return;
  std::vector<std::string> duplicates;
  auto parsed = ParseBody(input.substr(end + 1), input.substr(0, end), duplicates);
  if (!parsed.ok()) return;
  for (const FieldValidation validation :
       {FieldValidation::kIgnore, FieldValidation::kWarn, FieldValidation::kStrict}) {
    auto once = Conform(*parsed, type, validation, duplicates);
    if (!once.ok()) continue;
    ApplySchemaDefaults(once->object, type);
    const auto twice = Conform(once->object, type, FieldValidation::kStrict);
    fuzz::Require(twice.ok(), "an object that conforms does so again");
    fuzz::Require(twice->object == once->object, "an object that conforms stays as it is");
  }
}
