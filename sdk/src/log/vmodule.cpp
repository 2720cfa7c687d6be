#include "log/vmodule.h"

#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include <capstan/runtime/format.h>

namespace capstan::log {
namespace {

// Calls `use` with each non-empty entry until it returns an error.
Status ForEachEntry(std::string_view text, const std::function<Status(std::string_view)>& use) {
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    const std::string_view entry = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (entry.empty()) continue;
    if (Status status = use(entry); !status.ok()) return status;
  }
  return Status::Ok();
}

std::string NameOf(std::string_view file) {
  file.remove_prefix(file.rfind('/') + 1);  // npos + 1 is 0
  return std::string(file.substr(0, file.rfind('.')));
}

}  // namespace

Status VModule::Add(std::string_view entry) {
  const size_t equals = entry.rfind('=');
  if (equals == std::string_view::npos || equals == 0) {
    return Status::InvalidArgument(Format("\"{}\" is not of the form pattern=N", entry));
  }
  int verbosity = 0;
  const char* const end = entry.data() + entry.size();
  const auto [stop, error] = std::from_chars(entry.data() + equals + 1, end, verbosity);
  if (error != std::errc() || stop != end || verbosity < 0) {
    return Status::InvalidArgument(
        Format("\"{}\": the verbosity must be a number, 0 or more", entry));
  }
  const std::string glob(entry.substr(0, equals));
  if (glob.find_first_of("/=") != std::string::npos || glob.find('\0') != std::string::npos) {
    return Status::InvalidArgument(
        Format("\"{}\": the pattern must be for a file name without folder and extension", entry));
  }
  patterns_.push_back({glob, verbosity});
  highest_ = std::max(highest_, verbosity);
  return Status::Ok();
}

Result<VModule> VModule::Parse(std::string_view text) {
  VModule module;
  Status status = ForEachEntry(text, [&](std::string_view entry) { return module.Add(entry); });
  if (!status.ok()) return status;
  return module;
}

const VModule* VModule::Keep(std::string_view text) {
  static std::mutex mutex;
  // Never destroyed, because lines are written while the process exits.
  static auto* const kept = new std::map<std::string, VModule, std::less<>>;
  const std::lock_guard lock(mutex);
  auto found = kept->find(text);
  if (found == kept->end()) {
    VModule module;
    (void)ForEachEntry(text, [&](std::string_view entry) {
      (void)module.Add(entry);
      return Status::Ok();
    });
    found = kept->emplace(text, std::move(module)).first;
  }
  return found->second.patterns_.empty() ? nullptr : &found->second;
}

int VModule::VerbosityOf(std::string_view file) const {
  const std::string name = NameOf(file);
  const auto found = std::ranges::find_if(patterns_, [&](const Pattern& pattern) {
    return fnmatch(pattern.glob.c_str(), name.c_str(), 0) == 0;
  });
  return found == patterns_.end() ? 0 : found->verbosity;
}

}  // namespace capstan::log
