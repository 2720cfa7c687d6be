// Input: a JSON document, "---", a merge patch.

#include "apiserver/patch/patch.h"
#include "fuzz_target.h"
#include "json/value.h"

CAPSTAN_FUZZ_TARGET(merge_patch) {
  using namespace capstan;
  const auto [document, patch] = fuzz::InTwo(input);
  const auto target = json::ParseValue(std::string(document));
  const auto parsed = json::ParseValue(std::string(patch));
  if (!target.ok() || !parsed.ok()) return;
  auto patched = testing::server::ApplyMergePatch(target->value, parsed->value);
  if (!patched.ok()) return;
  // A null inside an array is removed only by the second patch, as in kube-apiserver.
  patched = testing::server::ApplyMergePatch(*patched, parsed->value);
  fuzz::Require(patched.ok(), "a merge patch fits what it made");
  const auto again = testing::server::ApplyMergePatch(*patched, parsed->value);
  fuzz::Require(again.ok() && *again == *patched, "a merge patch changes nothing at last");
}
