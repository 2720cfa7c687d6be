// Cells that several kinds use (rows.h).

#include <cstddef>

#include <capstan/runtime/format.h>

#include "apiserver/print/human_duration.h"
#include "apiserver/print/rows.h"
#include "base/text/joined.h"

namespace capstan::testing::server {

const json::Value& NameOf(const json::Value& object) { return object.Get("metadata", "name"); }

std::string AgeOfObject(const json::Value& object, WallTime now) {
  return AgeOf(object.Get("metadata", "creationTimestamp"), now);
}

json::Value Or(const json::Value& text, std::string_view other) {
  return text.IsEmpty() ? json::Value(other) : json::Value(text.AsString());
}

json::Value Number(const json::Value& value) { return value.AsInteger(); }

std::string LabelsText(const json::Value& labels) {
  std::vector<std::string> terms;
  for (const auto& [key, value] : labels.members()) terms.push_back(key + "=" + value.AsString());
  return text::Joined(terms);
}

std::pair<std::string, std::string> ContainerCells(const json::Value& pod_template) {
  std::vector<std::string> names;
  std::vector<std::string> images;
  for (const json::Value& container : pod_template.Get("spec", "containers").items()) {
    names.push_back(container.Get("name").AsString());
    images.push_back(container.Get("image").AsString());
  }
  return {text::Joined(names), text::Joined(images)};
}

std::string FirstOf(const std::vector<std::string>& texts, size_t most,
                    std::string_view separator) {
  if (texts.size() <= most) return text::Joined(texts, separator);
  const auto end = texts.begin() + static_cast<std::ptrdiff_t>(most);
  return text::Joined({texts.begin(), end}, separator) +
         Format(" + {} more...", texts.size() - most);
}

}  // namespace capstan::testing::server
