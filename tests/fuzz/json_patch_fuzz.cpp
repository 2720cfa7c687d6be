// Input: a JSON document, "---", a JSON Patch.

#include "apiserver/patch/patch.h"
#include "fuzz_target.h"
#include "json/value.h"

CAPSTAN_FUZZ_TARGET(json_patch) {
  using namespace capstan;
  const auto [document, patch] = fuzz::InTwo(input);
  const auto target = json::ParseValue(std::string(document));
  const auto parsed = json::ParseValue(std::string(patch));
  if (!target.ok() || !parsed.ok()) return;
  const std::string before = json::ToJson(target->value);
  const auto patched = testing::server::ApplyJsonPatch(target->value, parsed->value);
  if (patched.ok()) json::ToJson(*patched);
  fuzz::Require(json::ToJson(target->value) == before, "a patch leaves its target alone");
}
