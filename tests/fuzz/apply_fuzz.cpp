// Input: the live Deployment (or null), "---", a configuration to apply.

#include "apiserver/codec/decoding.h"
#include "apiserver/patch/apply.h"
#include "apiserver/schema/schema.h"
#include "fuzz_target.h"
#include "json/value.h"

CAPSTAN_FUZZ_TARGET(apply) {
  using namespace capstan;
  using namespace capstan::testing::server;
  static const ObjectType& type = *SchemaSet::BuiltIn().Find("apps/v1.Deployment");
  const auto [document, configuration] = fuzz::InTwo(input);
  const auto live = json::ParseValue(std::string(document));
  const auto parsed = json::ParseValue(std::string(configuration));
  if (!live.ok() || !parsed.ok()) return;
  const auto conformed = Conform(parsed->value, type, FieldValidation::kIgnore);
  if (!conformed.ok()) return;
  const auto conformed_live =
      live->value.IsNull() ? Decoded{} : Conform(live->value, type, FieldValidation::kIgnore);
  if (!conformed_live.ok()) return;
  const ApplyOptions options{.field_manager = "fuzz",
                             .force = true,
                             .subresource = "",
                             .api_version = "apps/v1",
                             .now = "2020-01-01T00:00:00Z"};
  const auto once = ApplyConfiguration(conformed_live->object, conformed->object, type, options);
  if (!once.ok()) return;
  const auto twice = ApplyConfiguration(*once, conformed->object, type, options);
  fuzz::Require(twice.ok() && *once == *twice, "what was applied changes nothing the second time");
}
