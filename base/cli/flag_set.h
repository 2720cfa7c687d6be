#pragma once

/// FlagSet: parses a command line as Kubernetes components do (github.com/spf13/pflag).
///
/// Accepted forms are --name=value, --name value, -v 4, -v=4 and -v4. A bool needs no value
/// (--flag) and takes one only with '=' (--flag=false). A list is split at commas and may be
/// repeated. An empty value (--name=) is a value. '_' in a name is equivalent to '-'. Names cannot
/// be abbreviated. A flag may have aliases, such as the name that another program uses. A name may
/// also be registered only to be refused with a reason.
///
/// The variables that flags write to must outlive the set. The value of a variable at the time
/// its flag is added is the flag's default.

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
  /// Help shows the flags added after this call under this heading.
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
  /// The first occurrence replaces the default. Later occurrences append.
  void AddList(std::string name, std::vector<std::string>* value, std::string usage) {
    Add(std::move(name), value, std::move(usage));
  }
  /// Adds a string flag that may be given without a value. Its value is then `bare`.
  void AddStringOrBare(std::string name, std::string* value, std::string bare, std::string usage);
  /// Adds a one-letter name for the flag added last.
  void AlsoAs(char shorthand);
  /// Adds a long alias for the flag added last.
  void AlsoAs(std::string name);
  /// Adds a flag that is refused with the error "flag --name: reason". The value `harmless` is
  /// accepted nevertheless; "" means that no value is accepted.
  void AddRefused(std::string name, std::string reason, std::string harmless = "");

  bool Has(std::string_view name) const { return Find(name) != nullptr; }
  /// Whether the parsed arguments contained the flag, under any of its names.
  bool WasGiven(std::string_view name) const;

  /// Parses the arguments, without the program name. The error names the flag. For an unknown flag
  /// it suggests the closest known name.
  Status Parse(const std::vector<std::string>& arguments);
  /// Like Parse, but appends arguments that are not flags to `others`, in order. No argument after
  /// "--" is a flag.
  Status Parse(const std::vector<std::string>& arguments, std::vector<std::string>& others);
  /// Like Parse, but ignores unknown flags, other arguments and invalid values. For flags that must
  /// be known before the set is complete.
  void ParseKnown(const std::vector<std::string>& arguments);

  /// Describes all flags by section, wrapped at `width` columns.
  std::string Help(size_t width) const;

 private:
  struct Flag {
    std::string name;
    std::string type;  ///< for help output: "string", "duration"
    std::string usage;
    std::string default_text;
    bool needs_value = true;
    std::string bare_value;  ///< the value of a flag given without one
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
  /// Returns the error for a name without a flag: the reason why it is refused, or that it is
  /// unknown.
  Status Refuse(std::string_view name, const std::string* value) const;
  /// Parses the flag at arguments[at] and advances `at` past the flag and its value.
  Status ParseLong(const std::vector<std::string>& arguments, size_t& at);
  Status ParseShort(const std::vector<std::string>& arguments, size_t& at);
  /// Parses one flag at arguments[at]. Returns false if that argument is not a flag.
  Result<bool> ParseFlag(const std::vector<std::string>& arguments, size_t& at);
  Status Unknown(std::string_view name) const;
  void AppendFlagHelp(std::string& out, const Flag& flag, size_t width) const;

  std::vector<std::string> sections_{""};
  std::vector<Flag> flags_;
  std::vector<Refused> refused_;
};

/// The width for help output: $COLUMNS, else the width that the terminal reports, else 80.
size_t TerminalWidth();

}  // namespace capstan::cli
