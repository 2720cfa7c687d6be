#include "base/cli/flag_value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include <capstan/runtime/format.h>

#include "base/cli/go_duration.h"
#include "base/text/joined.h"
#include "base/text/nearest_name.h"

namespace capstan::cli {
namespace {

template <class... Functions>
struct ValueVisitor : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
ValueVisitor(Functions...) -> ValueVisitor<Functions...>;

template <class Number>
std::optional<Number> NumberOf(const std::string& text) {
  const char* end = text.data() + text.size();
  Number parsed{};
  const auto [stop, error] = std::from_chars(text.data(), end, parsed);
  if (error != std::errc() || stop != end) return std::nullopt;
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(parsed)) return std::nullopt;
  }
  return parsed;
}

std::optional<bool> BoolOf(std::string_view text) {
  for (const char* yes : {"true", "TRUE", "True", "t", "T", "1"}) {
    if (text == yes) return true;
  }
  for (const char* no : {"false", "FALSE", "False", "f", "F", "0"}) {
    if (text == no) return false;
  }
  return std::nullopt;
}

std::vector<std::string> SplitAtCommas(const std::string& text) {
  std::vector<std::string> parts;
  if (text.empty()) return parts;
  size_t begin = 0;
  for (size_t comma; (comma = text.find(',', begin)) != std::string::npos; begin = comma + 1) {
    parts.push_back(text.substr(begin, comma - begin));
  }
  parts.push_back(text.substr(begin));
  return parts;
}

/// Splits at commas outside of quotes and removes the quotes.
/// https://pkg.go.dev/encoding/csv
std::vector<std::string> SplitQuoted(const std::string& text) {
  std::vector<std::string> parts(1);
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::string UnfitValue(const std::string& text, std::string_view expected) {
  return Format("\"{}\" is not {}", text, expected);
}

template <class T>
std::string AssignParsed(T* variable, const std::optional<T>& value, const std::string& text,
                         std::string_view expected) {
  if (!value) return UnfitValue(text, expected);
  *variable = *value;
  return "";
}

void AppendValues(std::vector<std::string>& list, std::vector<std::string> more, bool first) {
  if (first) list.clear();
  for (std::string& part : more) list.push_back(std::move(part));
}

std::string SetPairs(std::vector<std::string>& pairs, const std::string& text, bool first) {
  std::vector<std::string> parts;
  if (std::count(text.begin(), text.end(), '=') == 1) {
    parts.push_back(text);
    if (text.size() > 1 && text.front() == '"' && text.back() == '"') {
      parts.back() = text.substr(1, text.size() - 2);
    }
  } else if (!text.empty()) {
    parts = SplitQuoted(text);
  }
  for (const std::string& part : parts) {
    if (part.find('=') == std::string::npos) return UnfitValue(part, "key=value");
  }
  AppendValues(pairs, std::move(parts), first);
  return "";
}

std::string SetGates(std::map<std::string, bool>& gates, const std::string& text) {
  auto changed = gates;
  for (const std::string& part : SplitAtCommas(text)) {
    const size_t equals = part.find('=');
    if (equals == std::string::npos) return UnfitValue(part, "gate=true or gate=false");
    std::string_view name = std::string_view(part).substr(0, equals);
    if (name.starts_with("kube:")) name.remove_prefix(5);
    std::string error = SetGate(changed, name, part.substr(equals + 1));
    if (!error.empty()) return error;
  }
  gates.swap(changed);
  return "";
}

std::string TextOfGates(const std::map<std::string, bool>& gates) {
  std::vector<std::string> parts;
  parts.reserve(gates.size());
  for (const auto& [name, on] : gates) parts.push_back(name + (on ? "=true" : "=false"));
  return text::Joined(parts);
}

std::string SetChoice(const ChoiceValue& choice, const std::string& text) {
  const auto found = std::find(choice.words.begin(), choice.words.end(), text);
  if (found == choice.words.end()) return UnfitValue(text, text::Joined(choice.words, " or "));
  choice.set(static_cast<size_t>(found - choice.words.begin()));
  return "";
}

}  // namespace

std::string TypeName(const FlagValue& value) {
  return std::visit(ValueVisitor{
                        [](bool*) { return ""; },
                        [](int*) { return "int"; },
                        [](double*) { return "float"; },
                        [](std::string*) { return "string"; },
                        [](Duration*) { return "duration"; },
                        [](std::vector<std::string>*) { return "strings"; },
                        [](const RepeatedValue&) { return "string"; },
                        [](const PairsValue&) { return "key=value"; },
                        [](std::map<std::string, bool>*) { return "gate=bool,..."; },
                        [](const ChoiceValue&) { return "string"; },
                    },
                    value);
}

std::string TextOf(const FlagValue& value) {
  return std::visit(ValueVisitor{
                        [](const bool* v) { return std::string(*v ? "true" : "false"); },
                        [](const int* v) { return std::to_string(*v); },
                        [](const double* v) { return Format("{}", *v); },
                        [](const std::string* v) { return *v; },
                        [](const Duration* v) { return FormatGoDuration(*v); },
                        [](const std::vector<std::string>* v) { return text::Joined(*v); },
                        [](const RepeatedValue& v) { return text::Joined(*v.values, " "); },
                        [](const PairsValue& v) { return text::Joined(*v.values, " "); },
                        [](const std::map<std::string, bool>* v) { return TextOfGates(*v); },
                        [](const ChoiceValue& v) { return v.words[v.get()]; },
                    },
                    value);
}

std::vector<std::string>* ListOf(const FlagValue& value) {
  if (const auto* list = std::get_if<std::vector<std::string>*>(&value)) return *list;
  if (const auto* repeated = std::get_if<RepeatedValue>(&value)) return repeated->values;
  if (const auto* pairs = std::get_if<PairsValue>(&value)) return pairs->values;
  return nullptr;
}

std::string SetGate(std::map<std::string, bool>& gates, std::string_view name,
                    const std::string& value) {
  const auto gate = gates.find(std::string(name));
  if (gate == gates.end()) {
    std::vector<std::string> known;
    known.reserve(gates.size());
    for (const auto& [known_name, on] : gates) known.push_back(known_name);
    const std::string nearest = text::NearestName(name, known);
    return Format("unknown feature gate \"{}\"{}; known gates: {}", name,
                  nearest.empty() ? "" : Format(", did you mean {}?", nearest),
                  text::Joined(known, ", "));
  }
  const std::optional<bool> on = BoolOf(value);
  if (!on) return Format("{}: {}", name, UnfitValue(value, "true or false"));
  gate->second = *on;
  return "";
}

std::string SetFromText(const FlagValue& value, const std::string& text, bool first) {
  return std::visit(
      ValueVisitor{
          [&](bool* v) { return AssignParsed(v, BoolOf(text), text, "true or false"); },
          [&](int* v) { return AssignParsed(v, NumberOf<int>(text), text, "a whole number"); },
          [&](double* v) { return AssignParsed(v, NumberOf<double>(text), text, "a number"); },
          [&](std::string* v) {
            *v = text;
            return std::string();
          },
          [&](Duration* v) {
            return AssignParsed(v, ParseGoDuration(text), text,
                                "a duration such as 15s, 1m30s or 500ms");
          },
          [&](std::vector<std::string>* v) {
            AppendValues(*v, SplitAtCommas(text), first);
            return std::string();
          },
          [&](const RepeatedValue& v) {
            AppendValues(*v.values, text.empty() ? std::vector<std::string>() : std::vector{text},
                         first);
            return std::string();
          },
          [&](const PairsValue& v) { return SetPairs(*v.values, text, first); },
          [&](std::map<std::string, bool>* v) { return SetGates(*v, text); },
          [&](const ChoiceValue& v) { return SetChoice(v, text); },
      },
      value);
}

}  // namespace capstan::cli
