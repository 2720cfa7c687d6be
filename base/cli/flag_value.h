#pragma once

/// FlagValue: a variable that a flag, or a key of the configuration file, sets.
///
/// It borrows the variable, which must outlive it.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <capstan/runtime/clock.h>

namespace capstan::cli {

/// Each occurrence of the flag is one value; commas do not split it.
struct RepeatedValue {
  std::vector<std::string>* values;
};

/// "key=value", one an occurrence; several in one are quoted as CSV is: "a=1,2","b=3".
struct PairsValue {
  std::vector<std::string>* values;
};

/// One of some words.
struct ChoiceValue {
  std::vector<std::string> words;
  std::function<size_t()> get;
  std::function<void(size_t)> set;
};

template <class Enum>
ChoiceValue ChoiceOf(Enum* value, std::vector<std::string> words) {
  return {std::move(words), [value] { return static_cast<size_t>(*value); },
          [value](size_t index) { *value = static_cast<Enum>(index); }};
}

/// A map of bools is one of feature gates: it has an entry for each name that there is.
using FlagValue =
    std::variant<bool*, int*, double*, std::string*, Duration*, std::vector<std::string>*,
                 RepeatedValue, PairsValue, std::map<std::string, bool>*, ChoiceValue>;

/// For people: "int", "strings"; "" for a bool.
std::string TypeName(const FlagValue& value);
/// What would have to be written behind the flag's '='; lists as "a,b".
std::string TextOf(const FlagValue& value);
/// The list that it is; null when it is none.
std::vector<std::string>* ListOf(const FlagValue& value);

/// Sets it. `first`: whether lists are replaced, not added to. Returns "", or what is wrong, in
/// which case nothing is set.
std::string SetFromText(const FlagValue& value, const std::string& text, bool first);
/// Switches a gate; as SetFromText.
std::string SetGate(std::map<std::string, bool>& gates, std::string_view name,
                    const std::string& value);

}  // namespace capstan::cli
