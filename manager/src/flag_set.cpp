#include "flag_set.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <numeric>
#include <utility>

#include <capstan/runtime/format.h>

#include "go_duration.h"

namespace capstan::manager {
namespace {

std::string Normalized(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

template <class Number>
bool ParseNumber(const std::string& text, Number* value) {
  const char* end = text.data() + text.size();
  Number parsed{};
  const auto [stop, error] = std::from_chars(text.data(), end, parsed);
  if (error != std::errc() || stop != end) return false;
  *value = parsed;
  return true;
}

bool ParseBool(const std::string& text, bool* value) {
  for (const char* yes : {"true", "TRUE", "True", "t", "T", "1"}) {
    if (text == yes) return *value = true;
  }
  for (const char* no : {"false", "FALSE", "False", "f", "F", "0"}) {
    if (text == no) {
      *value = false;
      return true;
    }
  }
  return false;
}

std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> parts;
  if (text.empty()) return parts;
  size_t begin = 0;
  for (size_t comma; (comma = text.find(',', begin)) != std::string::npos; begin = comma + 1) {
    parts.push_back(text.substr(begin, comma - begin));
  }
  parts.push_back(text.substr(begin));
  return parts;
}

std::string Join(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ",") + part;
  return text;
}

std::string Quoted(const std::string& text) { return '"' + text + '"'; }

/// Levenshtein's.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
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

FlagSet::Flag& FlagSet::Add(std::string name, std::string type, std::string default_text,
                            std::string usage) {
  Flag& flag = flags_.emplace_back();
  flag.name = std::move(name);
  flag.type = std::move(type);
  flag.default_text = std::move(default_text);
  flag.usage = std::move(usage);
  flag.section = sections_.size() - 1;
  return flag;
}

void FlagSet::AddBool(std::string name, bool* value, std::string usage) {
  Flag& flag = Add(std::move(name), "", *value ? "true" : "", std::move(usage));
  flag.needs_value = false;
  flag.bare_value = "true";
  flag.set = [value](const std::string& text, bool) {
    return ParseBool(text, value) ? "" : "true or false";
  };
}

void FlagSet::AddInt(std::string name, int* value, std::string usage) {
  Add(std::move(name), "int", std::to_string(*value), std::move(usage)).set =
      [value](const std::string& text, bool) {
        return ParseNumber(text, value) ? "" : "a whole number";
      };
}

void FlagSet::AddDouble(std::string name, double* value, std::string usage) {
  Add(std::move(name), "float", Format("{}", *value), std::move(usage)).set =
      [value](const std::string& text, bool) { return ParseNumber(text, value) ? "" : "a number"; };
}

void FlagSet::AddString(std::string name, std::string* value, std::string usage) {
  Add(std::move(name), "string", value->empty() ? "" : Quoted(*value), std::move(usage)).set =
      [value](const std::string& text, bool) {
        *value = text;
        return "";
      };
}

void FlagSet::AddStringOrBare(std::string name, std::string* value, std::string bare,
                              std::string usage) {
  AddString(std::move(name), value, std::move(usage));
  flags_.back().needs_value = false;
  flags_.back().bare_value = std::move(bare);
  flags_.back().type.clear();
}

void FlagSet::AddDuration(std::string name, Duration* value, std::string usage) {
  Add(std::move(name), "duration", FormatGoDuration(*value), std::move(usage)).set =
      [value](const std::string& text, bool) {
        const auto duration = ParseGoDuration(text);
        if (!duration) return "a duration such as 15s, 1m30s or 500ms";
        *value = *duration;
        return "";
      };
}

void FlagSet::AddList(std::string name, std::vector<std::string>* value, std::string usage) {
  Add(std::move(name), "strings", "[" + Join(*value) + "]", std::move(usage)).set =
      [value](const std::string& text, bool first) {
        if (first) value->clear();
        for (std::string& part : Split(text)) value->push_back(std::move(part));
        return "";
      };
}

void FlagSet::AlsoAs(char shorthand) { flags_.back().shorthand = shorthand; }

const FlagSet::Flag* FlagSet::Find(std::string_view name) const {
  const auto found = std::find_if(flags_.begin(), flags_.end(),
                                  [&](const Flag& flag) { return flag.name == name; });
  return found == flags_.end() ? nullptr : &*found;
}

FlagSet::Flag* FlagSet::Find(std::string_view name) {
  return const_cast<Flag*>(std::as_const(*this).Find(name));
}

FlagSet::Flag* FlagSet::FindShorthand(char shorthand) {
  const auto found = std::find_if(flags_.begin(), flags_.end(),
                                  [&](const Flag& flag) { return flag.shorthand == shorthand; });
  return found == flags_.end() ? nullptr : &*found;
}

Status FlagSet::Set(Flag& flag, const std::string& value) {
  const std::string expected = flag.set(value, !std::exchange(flag.seen, true));
  if (expected.empty()) return Status::Ok();
  return Status::InvalidArgument(Format("flag --{}: \"{}\" is not {}", flag.name, value, expected));
}

Status FlagSet::Unknown(std::string_view name) const {
  const Flag* nearest = nullptr;
  size_t distance = std::max<size_t>(name.size() / 3, 2) + 1;
  for (const Flag& flag : flags_) {
    const size_t d = EditDistance(name, flag.name);
    if (d < distance) {
      distance = d;
      nearest = &flag;
    }
  }
  std::string message = Format("unknown flag --{}", name);
  message += nearest ? Format("; did you mean --{}?", nearest->name) : "; see --help";
  return Status::InvalidArgument(std::move(message));
}

Status FlagSet::ParseLong(const std::vector<std::string>& arguments, size_t& at) {
  const std::string& argument = arguments[at++];
  const size_t equals = argument.find('=');
  const std::string name = Normalized(std::string_view(argument).substr(0, equals).substr(2));
  Flag* flag = Find(name);
  if (flag == nullptr) return Unknown(name);
  if (equals != std::string::npos) return Set(*flag, argument.substr(equals + 1));
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
    if (ParseNumber(std::string(columns), &width) && width > 0) return static_cast<size_t>(width);
  }
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

}  // namespace capstan::manager
