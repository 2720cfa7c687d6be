#include "malformed.h"

#include <utility>
#include <vector>

#include "sample_objects.h"

namespace capstan::differential {
namespace {

using json::Value;

// All values in `value` except the envelope, depth first. The pointers are valid until `value`
// changes.
void CollectPlaces(Value& value, int depth, std::vector<Value*>& places) {
  if (depth > 0) places.push_back(&value);
  if (value.IsObject()) {
    for (json::Member& member : value.MutableMembers()) {
      if (depth == 0 && (member.key == "kind" || member.key == "apiVersion")) continue;
      CollectPlaces(member.value, depth + 1, places);
    }
  } else if (value.IsArray()) {
    for (Value& item : value.MutableItems()) CollectPlaces(item, depth + 1, places);
  }
}

Value OtherValue(const Value& value, Dice& dice) {
  if (dice.Percent(15)) return {};
  if (value.IsNumber()) {
    return Parsed(
        dice.Of({"-1", "0", "2147483648", "1.5", "\"5\"", "99999999999999999999", "true"}));
  }
  if (value.IsString()) {
    return Parsed(dice.Of({"\"\"", "1", "{}", "[]", "\"Up_Per\"", "\"a b\"", "\"-x-\"",
                           "\"\\u00e4\"", "false",
                           "\"0123456789012345678901234567890123456789012345678901234567890"
                           "1234567890\""}));
  }
  if (value.IsArray()) return Parsed(dice.Of({"{}", "[]", "\"x\"", "[1]", "[null]", "[{}]"}));
  if (value.IsObject()) return Parsed(dice.Of({"[]", "{}", "\"x\"", "7", "{\"bogus\":1}"}));
  return Parsed(dice.Of({"\"true\"", "1", "{}"}));
}

Value WithOddPlace(Value object, Dice& dice) {
  std::vector<Value*> places;
  CollectPlaces(object, 0, places);
  if (places.empty()) return object;
  Value& place = *dice.Of(places);
  if (place.IsObject() && !place.members().empty() && dice.Percent(60)) {
    const std::string key = dice.Of(place.members()).key;
    place.Erase(key);
  } else if (place.IsArray() && !place.items().empty() && dice.Percent(50)) {
    place.Append(Value(dice.Of(place.items())));
  } else if (place.IsObject() && dice.Percent(40)) {
    place.Set(dice.Of({"bogus", "Bogus", "name", "image"}), "x");
  } else {
    place = OtherValue(place, dice);
  }
  return object;
}

Value WithOddMetadata(Value object, Dice& dice) {
  Value& metadata = object.Mutable("metadata");
  switch (dice.Below(12)) {
    case 0:
      metadata.Set("name", dice.Of({"Bad_Name", "", "-x", "a.b", "a..b", "a/b", "9lives"}));
      break;
    case 1:
      metadata.Set("name",
                   std::string(dice.Of({"63", "64", "253", "254"}) == "63" ? 64 : 254, 'a'));
      break;
    case 2:
      metadata.Set("labels", Parsed(dice.Of({R"({"a b":"c"})", R"({"a":"c d"})", R"({"":"x"})",
                                             R"({"a/b/c":"x"})", R"({"A.example/x":"1"})",
                                             R"({"a":1})", R"({"a":null})"})));
      break;
    case 3:
      metadata.Set("annotations",
                   Parsed(dice.Of({R"({"a b":"c"})", R"({"A/B":""})", R"({"x":{}})"})));
      break;
    case 4:
      metadata.Set("namespace", dice.Of({"diff-a", "diff-b", "other", ""}));
      break;
    case 5:
      metadata.Set("resourceVersion", dice.Of({"1", "abc", "0", ""}));
      break;
    case 6:
      metadata.Erase("name");
      metadata.Set("generateName", dice.Of({"gen-", "Bad_", "g.", ""}));
      break;
    case 7:
      metadata.Set("ownerReferences",
                   Parsed(dice.Of({R"([{"apiVersion":"v1","kind":"Pod","name":"x"}])",
                                   R"([{"apiVersion":"v1","kind":"Pod","name":"x","uid":"u"}])",
                                   R"([{"apiVersion":"v1","kind":"Event","name":"x","uid":"u"}])",
                                   R"([{"apiVersion":"a/b/c","kind":"","name":"","uid":""}])",
                                   R"([{"apiVersion":"v1","kind":"A","name":"x","uid":"u",)"
                                   R"("controller":true},{"apiVersion":"v1","kind":"B","name":"y",)"
                                   R"("uid":"v","controller":true}])"})));
      break;
    case 8:
      metadata.Set("finalizers", Parsed(dice.Of({R"(["bad"])", R"(["a.example/x"])", R"([""])",
                                                 R"(["foregroundDeletion"])", R"([1])"})));
      break;
    case 9:
      metadata.Set(dice.Of({"uid", "deletionTimestamp", "creationTimestamp", "selfLink"}),
                   dice.Of({"x", "2020-01-01T00:00:00Z"}));
      break;
    case 10:
      metadata.Set(dice.Of({"generation", "deletionGracePeriodSeconds"}), int64_t{5});
      break;
    default:
      object.Set("metadata", Parsed(dice.Of({"null", "[]", "{}", "\"x\""})));
  }
  return object;
}

Value WithOddEnvelope(Value object, Dice& dice) {
  const std::string member = dice.Of({"kind", "apiVersion"});
  if (dice.Percent(40)) {
    object.Erase(member);
  } else {
    object.Set(member, Parsed(dice.Of({"\"Nope\"", "\"v1\"", "\"apps/v1\"", "\"Pod\"", "1", "\"\"",
                                       "\"a/b/c\"", "null"})));
  }
  return object;
}

}  // namespace

Value Malformed(Value object, Dice& dice) {
  const size_t way = dice.Below(10);
  if (way < 6) return WithOddPlace(std::move(object), dice);
  if (way < 9) return WithOddMetadata(std::move(object), dice);
  return WithOddEnvelope(std::move(object), dice);
}

std::string MalformedText(std::string text, Dice& dice) {
  switch (dice.Below(7)) {
    case 0:
      return text.substr(0, text.size() / 2);
    case 1:
      return "";
    case 2:
      return "[" + text + "]";
    case 3:
      return text + "}";
    case 4:
      // A duplicate member.
      return R"({"metadata":{"name":"alpha"},)" + text.substr(1);
    case 5:
      return dice.Of(
          {"null", "7", "\"text\"", "{}", "\xff\xfe", "<xml/>", "{\"kind\":\"\\ud800\"}"});
    default:
      return std::string(600, '[');
  }
}

}  // namespace capstan::differential
