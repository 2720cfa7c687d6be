#include "apiserver/patch/patch_directives.h"

#include <algorithm>

#include "apiserver/codec/go_text.h"
#include "apiserver/http/api_errors.h"

namespace capstan::testing::server {

Status UnknownDirective(const json::Value& directive, const json::Value& map) {
  return UnknownError("unknown patch type: " + GoText(directive) + " in map: " + GoText(map));
}

void DiscardNulls(json::Value& value) {
  if (value.IsArray()) {
    for (json::Value& item : value.MutableItems()) DiscardNulls(item);
  } else if (value.IsObject()) {
    json::Value::Members& members = value.MutableMembers();
    members.erase(std::remove_if(members.begin(), members.end(),
                                 [](const json::Member& member) { return member.value.IsNull(); }),
                  members.end());
    for (json::Member& member : members) DiscardNulls(member.value);
  }
}

bool RemoveDirectives(json::Value& value) {
  if (value.IsArray()) {
    json::Value::Items& items = value.MutableItems();
    items.erase(std::remove_if(items.begin(), items.end(),
                               [](json::Value& item) { return !RemoveDirectives(item); }),
                items.end());
  } else if (value.IsObject()) {
    if (value.Find(kPatchDirective)) return false;
    json::Value::Members& members = value.MutableMembers();
    members.erase(
        std::remove_if(members.begin(), members.end(),
                       [](json::Member& member) { return !RemoveDirectives(member.value); }),
        members.end());
  }
  return true;
}

}  // namespace capstan::testing::server
