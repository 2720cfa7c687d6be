#include "sample_template.h"

#include <stdexcept>
#include <utility>

namespace capstan::differential {

using json::Value;

Value SampleTemplate::Filled(const Value& value, const std::string& name) {
  if (value.IsString()) return FilledText(value.AsString(), name);
  if (value.IsArray()) return FilledList(value, name);
  if (!value.IsObject()) return value;
  const Value* choices = value.Find("one of");
  if (choices == nullptr) return FilledMap(value, name);
  // The first choice is a valid one. An object of many parts is to be valid now and then.
  const bool first = dice_.Percent(35);
  return Filled(first ? choices->items().front() : dice_.Of(choices->items()), name);
}

Value SampleTemplate::FilledText(const std::string& text, const std::string& name) {
  constexpr std::string_view kName = "$NAME";
  if (const size_t at = text.find(kName); at != std::string::npos) {
    return text.substr(0, at) + name + text.substr(at + kName.size());
  }
  // "$patch" and its like are keys, never texts.
  if (!text.starts_with('$')) return text;
  const Value* part = parts_.Find(text.substr(1));
  if (part == nullptr) throw std::logic_error("no part " + text);
  return Filled(*part, name);
}

Value SampleTemplate::FilledMap(const Value& map, const std::string& name) {
  Value result = Value::Object();
  for (const json::Member& member : map.members()) {
    std::string key = member.key;
    if (Take(key)) result.Set(key, Filled(member.value, name));
  }
  return result;
}

Value SampleTemplate::FilledList(const Value& list, const std::string& name) {
  Value result = Value::Array();
  for (const Value& item : list.items()) {
    if (item.members().size() == 1 && item.members()[0].key.starts_with("item%")) {
      std::string key = item.members()[0].key;
      if (Take(key)) result.Append(Filled(item.members()[0].value, name));
    } else {
      result.Append(Filled(item, name));
    }
  }
  return result;
}

bool SampleTemplate::Take(std::string& key) {
  const size_t mark = key.find('%');
  if (mark == std::string::npos) return true;
  const size_t chance = std::stoul(key.substr(mark + 1));
  key.resize(mark);
  return dice_.Percent(chance);
}

}  // namespace capstan::differential
