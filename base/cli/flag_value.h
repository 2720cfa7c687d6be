#pragma once

/// FlagValue: a reference to a variable that a flag or a key of the configuration file sets.
///
/// The variable is borrowed and must outlive the FlagValue.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <capstan/runtime/clock.h>

namespace capstan::cli {

/// A list where each occurrence of the flag adds one value. Commas do not split a value.
struct RepeatedValue {
  std::vector<std::string>* values;
};

/// A list of "key=value" pairs, normally one per occurrence. Several pairs in one occurrence are
/// quoted as in CSV: "a=1,2","b=3".
struct PairsValue {
  std::vector<std::string>* values;
};

/// One of a fixed set of words.
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

/// A map of bools holds feature gates. It has an entry for every known gate.
using FlagValue =
    std::variant<bool*, int*, double*, std::string*, Duration*, std::vector<std::string>*,
                 RepeatedValue, PairsValue, std::map<std::string, bool>*, ChoiceValue>;

/// The type name for help output: "int", "strings"; "" for a bool.
std::string TypeName(const FlagValue& value);
/// The current value as it would be written after the flag's '='. Lists are written as "a,b".
std::string TextOf(const FlagValue& value);
/// The underlying list, or null if the value is not a list.
std::vector<std::string>* ListOf(const FlagValue& value);

/// Sets the variable. `first` says whether a list is replaced instead of appended to. Returns "" on
/// success. Otherwise returns the reason and changes nothing.
std::string SetFromText(const FlagValue& value, const std::string& text, bool first);
/// Sets one feature gate. Returns errors as SetFromText does.
std::string SetGate(std::map<std::string, bool>& gates, std::string_view name,
                    const std::string& value);

}  // namespace capstan::cli
