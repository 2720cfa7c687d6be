#include "renaming.h"

#include <algorithm>

namespace capstan::vectors {
namespace {

bool IsOfWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// '-' separates words, so "web-1234" contains the word "1234".
void ReplaceWord(std::string& text, const std::string& word, const std::string& by) {
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at)) {
    const size_t end = at + word.size();
    const bool begins = at == 0 || !IsOfWord(text[at - 1]);
    const bool ends = end == text.size() || !IsOfWord(text[end]);
    if (begins && ends) text.replace(at, word.size(), by);
    at += begins && ends ? by.size() : 1;
  }
}

}  // namespace

Renaming::Renaming(const State& before, const State& after) {
  // Pods first: their names contain a hash.
  int number = 0;
  for (const auto& [name, pod] : after.pods) {
    if (before.pods.contains(name)) continue;
    names_.emplace_back(name.name, "<pod " + std::to_string(++number) + ">");
  }
  number = 0;
  for (const auto& [name, set] : after.replica_sets) {
    if (before.replica_sets.contains(name)) continue;
    const std::string& hash = set.Get("metadata", "labels", "pod-template-hash").AsString();
    if (!hash.empty()) names_.emplace_back(hash, "<hash " + std::to_string(++number) + ">");
  }
}

std::string Renaming::Text(std::string text) const {
  for (const auto& [name, stand_in] : names_) ReplaceWord(text, name, stand_in);
  return text;
}

json::Value Renaming::Texts(const json::Value& value) const {
  if (names_.empty()) return value;
  if (value.IsString()) return Text(value.AsString());
  json::Value renamed = value;
  if (value.IsArray()) {
    for (json::Value& item : renamed.MutableItems()) item = Texts(item);
  } else if (value.IsObject()) {
    for (json::Member& member : renamed.MutableMembers()) member.value = Texts(member.value);
  }
  return renamed;
}

}  // namespace capstan::vectors
