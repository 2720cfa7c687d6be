// Cells that several kinds use (rows.h).

#include <algorithm>

#include <capstan/runtime/format.h>

#include "apiserver/print/human_duration.h"
#include "apiserver/print/rows.h"

namespace capstan::testing::server {

const json::Value& NameOf(const json::Value& object) { return object.Get("metadata", "name"); }

std::string AgeOfObject(const json::Value& object, WallTime now) {
  return AgeOf(object.Get("metadata", "creationTimestamp"), now);
}

std::string Joined(const std::vector<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts) joined += (joined.empty() ? "" : ",") + text;
  return joined;
}

json::Value Or(const json::Value& text, std::string_view other) {
  return text.IsEmpty() ? json::Value(other) : json::Value(text.AsString());
}

json::Value Number(const json::Value& value) { return value.AsInteger(); }

std::string LabelsText(const json::Value& labels) {
  std::vector<std::string> terms;
  for (const auto& [key, value] : labels.members()) terms.push_back(key + "=" + value.AsString());
  return Joined(terms);
}

std::pair<std::string, std::string> ContainerCells(const json::Value& pod_template) {
  std::vector<std::string> names;
  std::vector<std::string> images;
  for (const json::Value& container : pod_template.Get("spec", "containers").items()) {
    names.push_back(container.Get("name").AsString());
    images.push_back(container.Get("image").AsString());
  }
  return {Joined(names), Joined(images)};
}

std::string FirstOf(const std::vector<std::string>& texts, size_t most,
                    std::string_view separator) {
  std::string text;
  for (size_t i = 0; i < std::min(most, texts.size()); ++i) {
    if (i > 0) text += separator;
    text += texts[i];
  }
  if (texts.size() > most) text += Format(" + {} more...", texts.size() - most);
  return text;
}

}  // namespace capstan::testing::server
