#include "base/cli/flag_set.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <variant>

#include <capstan/runtime/format.h>

#include "base/text/nearest_name.h"

namespace capstan::cli {
namespace {

std::string Normalized(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

std::string Quoted(const std::string& text) { return '"' + text + '"'; }

/// The default for help output; "" if it is not shown.
std::string DefaultText(const FlagValue& value) {
  std::string text = TextOf(value);
  if (std::holds_alternative<bool*>(value)) return text == "true" ? text : "";
  if (ListOf(value) != nullptr) return "[" + text + "]";
  if (std::holds_alternative<std::string*>(value)) return text.empty() ? "" : Quoted(text);
  return text;
}

void AppendWrapped(std::string& out, std::string_view text, size_t indent, size_t width) {
  const size_t room = std::max<size_t>(width > indent ? width - indent : 0, 20);
  while (!text.empty()) {
    size_t length = text.size();
    if (length > room) {
      length = text.rfind(' ', room);
      if (length == std::string_view::npos || length == 0) length = text.find(' ');
      if (length == std::string_view::npos) length = text.size();
    }
    out.append(indent, ' ').append(text.substr(0, length)).append("\n");
    text.remove_prefix(std::min(length + 1, text.size()));
  }
}

}  // namespace

void FlagSet::BeginSection(std::string title) { sections_.push_back(std::move(title)); }

void FlagSet::Add(std::string name, FlagValue value, std::string usage) {
  Flag& flag = flags_.emplace_back();
  flag.name = std::move(name);
  flag.type = TypeName(value);
  flag.default_text = DefaultText(value);
  flag.usage = std::move(usage);
  flag.section = sections_.size() - 1;
  if (std::holds_alternative<bool*>(value)) {
    flag.needs_value = false;
    flag.bare_value = "true";
  }
  flag.value = std::move(value);
}

void FlagSet::AddStringOrBare(std::string name, std::string* value, std::string bare,
                              std::string usage) {
  AddString(std::move(name), value, std::move(usage));
  flags_.back().needs_value = false;
  flags_.back().bare_value = std::move(bare);
  flags_.back().type.clear();
}

void FlagSet::AlsoAs(char shorthand) { flags_.back().shorthand = shorthand; }

void FlagSet::AlsoAs(std::string name) { flags_.back().other_names.push_back(std::move(name)); }

void FlagSet::AddRefused(std::string name, std::string reason, std::string harmless) {
  refused_.push_back({std::move(name), std::move(reason), std::move(harmless)});
}

const FlagSet::Flag* FlagSet::Find(std::string_view name) const {
  const auto found = std::find_if(flags_.begin(), flags_.end(), [&](const Flag& flag) {
    return flag.name == name || std::find(flag.other_names.begin(), flag.other_names.end(), name) !=
                                    flag.other_names.end();
  });
  return found == flags_.end() ? nullptr : &*found;
}

FlagSet::Flag* FlagSet::Find(std::string_view name) {
  return const_cast<Flag*>(std::as_const(*this).Find(name));
}

bool FlagSet::WasGiven(std::string_view name) const {
  const Flag* flag = Find(name);
  return flag != nullptr && flag->seen;
}

const FlagSet::Refused* FlagSet::FindRefused(std::string_view name) const {
  const auto found = std::find_if(refused_.begin(), refused_.end(),
                                  [&](const Refused& refused) { return refused.name == name; });
  return found == refused_.end() ? nullptr : &*found;
}

FlagSet::Flag* FlagSet::FindShorthand(char shorthand) {
  const auto found = std::find_if(flags_.begin(), flags_.end(),
                                  [&](const Flag& flag) { return flag.shorthand == shorthand; });
  return found == flags_.end() ? nullptr : &*found;
}

Status FlagSet::Set(Flag& flag, const std::string& value) {
  const std::string error = SetFromText(flag.value, value, !std::exchange(flag.seen, true));
  if (error.empty()) return Status::Ok();
  return Status::InvalidArgument(Format("flag --{}: {}", flag.name, error));
}

Status FlagSet::Refuse(std::string_view name, const std::string* value) const {
  if (const Refused* refused = FindRefused(name)) {
    if (value && !refused->harmless.empty() && *value == refused->harmless) return Status::Ok();
    return Status::InvalidArgument(Format("flag --{}: {}", name, refused->reason));
  }
  std::vector<std::string> names;
  for (const Flag& flag : flags_) {
    names.push_back(flag.name);
    names.insert(names.end(), flag.other_names.begin(), flag.other_names.end());
  }
  for (const Refused& refused : refused_) names.push_back(refused.name);
  const std::string nearest = text::NearestName(name, names);
  return Status::InvalidArgument(
      Format("unknown flag --{}; ", name) +
      (nearest.empty() ? "see --help" : Format("did you mean --{}?", nearest)));
}

Status FlagSet::ParseLong(const std::vector<std::string>& arguments, size_t& at) {
  const std::string& argument = arguments[at++];
  const size_t equals = argument.find('=');
  const std::string name = Normalized(std::string_view(argument).substr(0, equals).substr(2));
  Flag* flag = Find(name);
  const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
  if (flag == nullptr) return Refuse(name, equals == std::string::npos ? nullptr : &value);
  if (equals != std::string::npos) return Set(*flag, value);
  if (!flag->needs_value) return Set(*flag, flag->bare_value);
  if (at == arguments.size()) {
    return Status::InvalidArgument(Format("flag --{}: needs a value", name));
  }
  return Set(*flag, arguments[at++]);
}

Status FlagSet::ParseShort(const std::vector<std::string>& arguments, size_t& at) {
  const std::string& argument = arguments[at++];
  for (size_t i = 1; i < argument.size(); ++i) {
    Flag* flag = FindShorthand(argument[i]);
    if (flag == nullptr) {
      return Status::InvalidArgument(
          Format("unknown flag -{} in \"{}\"; see --help", argument.substr(i, 1), argument));
    }
    const std::string rest = argument.substr(i + 1);
    if (!rest.empty() && rest[0] == '=') return Set(*flag, rest.substr(1));
    if (flag->needs_value) {
      if (!rest.empty()) return Set(*flag, rest);
      if (at == arguments.size()) {
        return Status::InvalidArgument(Format("flag -{}: needs a value", argument.substr(i, 1)));
      }
      return Set(*flag, arguments[at++]);
    }
    if (Status status = Set(*flag, flag->bare_value); !status.ok()) return status;
  }
  return Status::Ok();
}

Result<bool> FlagSet::ParseFlag(const std::vector<std::string>& arguments, size_t& at) {
  const std::string& argument = arguments[at];
  if (argument.size() < 2 || argument[0] != '-' || argument == "--") return false;
  const Status status = argument[1] == '-' ? ParseLong(arguments, at) : ParseShort(arguments, at);
  if (!status.ok()) return status;
  return true;
}

Status FlagSet::Parse(const std::vector<std::string>& arguments) {
  std::vector<std::string> others;
  if (Status status = Parse(arguments, others); !status.ok()) return status;
  if (others.empty()) return Status::Ok();
  return Status::InvalidArgument(Format("unexpected argument \"{}\"; see --help", others.front()));
}

Status FlagSet::Parse(const std::vector<std::string>& arguments, std::vector<std::string>& others) {
  for (size_t at = 0; at < arguments.size();) {
    const Result<bool> was_flag = ParseFlag(arguments, at);
    if (!was_flag) return was_flag.status();
    if (*was_flag) continue;
    if (arguments[at] == "--") {
      others.insert(others.end(), arguments.begin() + static_cast<ptrdiff_t>(at) + 1,
                    arguments.end());
      break;
    }
    others.push_back(arguments[at++]);
  }
  return Status::Ok();
}

void FlagSet::ParseKnown(const std::vector<std::string>& arguments) {
  for (size_t at = 0; at < arguments.size() && arguments[at] != "--";) {
    const std::string& argument = arguments[at];
    const bool is_long = argument.size() > 2 && argument.starts_with("--");
    const std::string_view name = std::string_view(argument).substr(0, argument.find('='));
    Status ignored;
    if (is_long && Has(Normalized(name.substr(2)))) {
      ignored = ParseLong(arguments, at);
    } else if (argument.size() == 2 && argument[0] == '-' && FindShorthand(argument[1])) {
      ignored = ParseShort(arguments, at);
    } else {
      ++at;
    }
  }
}

void FlagSet::AppendFlagHelp(std::string& out, const Flag& flag, size_t width) const {
  out += "  ";
  out += flag.shorthand != 0 ? std::string("-") + flag.shorthand + ", " : "    ";
  out += "--" + flag.name;
  if (!flag.bare_value.empty() && flag.bare_value != "true") out += "[=" + flag.bare_value + "]";
  if (!flag.type.empty()) out += " " + flag.type;
  out += "\n";
  std::string text = flag.usage;
  for (size_t i = 0; i < flag.other_names.size(); ++i) {
    text += (i == 0 ? " Also --" : ", --") + flag.other_names[i];
    if (i + 1 == flag.other_names.size()) text += ".";
  }
  if (!flag.default_text.empty()) text += " (default " + flag.default_text + ")";
  AppendWrapped(out, text, 16, width);
}

std::string FlagSet::Help(size_t width) const {
  std::string out;
  for (size_t section = 0; section < sections_.size(); ++section) {
    bool first = true;
    for (const Flag& flag : flags_) {
      if (flag.section != section) continue;
      if (first) out += (out.empty() ? "" : "\n") + sections_[section] + " flags:\n\n";
      first = false;
      AppendFlagHelp(out, flag, width);
    }
  }
  return out;
}

size_t TerminalWidth() {
  int width = 0;
  if (const char* columns = std::getenv("COLUMNS"); columns != nullptr) {
    if (SetFromText(&width, columns, true).empty() && width > 0) return static_cast<size_t>(width);
  }
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

}  // namespace capstan::cli
