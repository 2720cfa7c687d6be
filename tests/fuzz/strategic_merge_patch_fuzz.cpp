// Input: a Deployment, "---", a strategic merge patch.

#include "apiserver/patch/patch.h"
#include "apiserver/schema/schema.h"
#include "fuzz_target.h"
#include "json/value.h"

CAPSTAN_FUZZ_TARGET(strategic_merge_patch) {
  using namespace capstan;
  using namespace capstan::testing::server;
  static const ObjectType& type = *SchemaSet::BuiltIn().Find("apps/v1.Deployment");
  const auto [document, patch] = fuzz::InTwo(input);
  const auto target = json::ParseValue(std::string(document));
  const auto parsed = json::ParseValue(std::string(patch));
  if (!target.ok() || !parsed.ok()) return;
  const std::string before = json::ToJson(target->value);
  const auto patched = ApplyStrategicMergePatch(target->value, parsed->value, type);
  if (patched.ok()) json::ToJson(*patched);
  fuzz::Require(json::ToJson(target->value) == before, "a patch leaves its target alone");
}
