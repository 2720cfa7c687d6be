#pragma once

/// FlagSet: a command line as Kubernetes components read it (github.com/spf13/pflag).
///
/// --name=value, --name value, -v 4, -v=4, -v4; a bool needs no value (--flag) and takes one only
/// with '=' (--flag=false); a list is split at commas and may be repeated; an empty value (--name=)
/// is a value; '_' in a name reads as '-'. Names are never abbreviated. A flag may have other names
/// (a spelling of another program's), and a name may be known only for the reason why it is
/// refused.
///
/// The variables that flags write to must outlive the set; what they hold when their flag is added
/// is its default.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/runtime/clock.h>
#include <capstan/runtime/status.h>

#include "base/cli/flag_value.h"

namespace capstan::cli {

class FlagSet {
 public:
  /// The flags that are added from now on are shown under this heading.
  void BeginSection(std::string title);

  void Add(std::string name, FlagValue value, std::string usage);
  void AddBool(std::string name, bool* value, std::string usage) {
    Add(std::move(name), value, std::move(usage));
  }
  void AddInt(std::string name, int* value, std::string usage) {
    Add(std::move(name), value, std::move(usage));
  }
  void AddDouble(std::string name, double* value, std::string usage) {
    Add(std::move(name), value, std::move(usage));
  }
  void AddString(std::string name, std::string* value, std::string usage) {
    Add(std::move(name), value, std::move(usage));
  }
  void AddDuration(std::string name, Duration* value, std::string usage) {
    Add(std::move(name), value, std::move(usage));
  }
  /// The first occurrence replaces the default, the others add to it.
  void AddList(std::string name, std::vector<std::string>* value, std::string usage) {
    Add(std::move(name), value, std::move(usage));
  }
  /// A string that may stand without a value: then it is `bare`.
  void AddStringOrBare(std::string name, std::string* value, std::string bare, std::string usage);
  /// A second, one-letter name for the flag that was added last.
  void AlsoAs(char shorthand);
  /// Another whole name for it.
  void AlsoAs(std::string name);
  /// A flag that is an error: "flag --name: reason". `harmless` is a value that it may have, "" =
  /// none.
  void AddRefused(std::string name, std::string reason, std::string harmless = "");

  bool Has(std::string_view name) const { return Find(name) != nullptr; }
  /// Whether arguments had the flag, by whatever name.
  bool WasGiven(std::string_view name) const;

  /// Reads the arguments (without the program's name). The error names the flag, and for an unknown
  /// one the nearest that there is.
  Status Parse(const std::vector<std::string>& arguments);
  /// As Parse, but puts what is no flag into `others`, in order; behind "--" nothing is a flag.
  Status Parse(const std::vector<std::string>& arguments, std::vector<std::string>& others);
  /// As Parse, but looks only for flags of this set and passes over everything else: for what must
  /// be known before the set is complete. Values that do not fit are passed over as well.
  void ParseKnown(const std::vector<std::string>& arguments);

  /// All flags by section, wrapped at `width` columns.
  std::string Help(size_t width) const;

 private:
  struct Flag {
    std::string name;
    std::string type;  ///< for people: "string", "duration"
    std::string usage;
    std::string default_text;
    bool needs_value = true;
    std::string bare_value;  ///< what a flag without a value means
    char shorthand = 0;
    std::vector<std::string> other_names;
    size_t section = 0;
    bool seen = false;
    FlagValue value;
  };
  struct Refused {
    std::string name;
    std::string reason;
    std::string harmless;
  };

  const Flag* Find(std::string_view name) const;
  Flag* Find(std::string_view name);
  Flag* FindShorthand(char shorthand);
  const Refused* FindRefused(std::string_view name) const;
  Status Set(Flag& flag, const std::string& value);
  /// For a name that no flag has: why it is refused, or that it is unknown.
  Status Refuse(std::string_view name, const std::string* value) const;
  /// Handles arguments[at] and moves `at` behind what belongs to it.
  Status ParseLong(const std::vector<std::string>& arguments, size_t& at);
  Status ParseShort(const std::vector<std::string>& arguments, size_t& at);
  /// Handles one flag at arguments[at]; false when there stands none.
  Result<bool> ParseFlag(const std::vector<std::string>& arguments, size_t& at);
  Status Unknown(std::string_view name) const;
  void AppendFlagHelp(std::string& out, const Flag& flag, size_t width) const;

  std::vector<std::string> sections_{""};
  std::vector<Flag> flags_;
  std::vector<Refused> refused_;
};

/// The width of the terminal that help is written to: $COLUMNS, else what the terminal says,
/// else 80.
size_t TerminalWidth();

}  // namespace capstan::cli
