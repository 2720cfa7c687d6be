#include "access/allowed_paths.h"

#include <algorithm>
#include <utility>

#include <capstan/runtime/format.h>

namespace capstan::manager {

std::string CleanPath(std::string_view path) {
  std::vector<std::string_view> segments;
  bool ends_open = true;  // the path ends with '/'
  for (size_t at = 0; at <= path.size();) {
    const size_t end = std::min(path.find('/', at), path.size());
    const std::string_view segment = path.substr(at, end - at);
    at = end + 1;
    ends_open = segment.empty() || segment == "." || segment == "..";
    if (segment == ".." && !segments.empty()) segments.pop_back();
    if (!ends_open) segments.push_back(segment);
  }
  std::string clean;
  for (const std::string_view segment : segments) clean.append("/").append(segment);
  if (ends_open) clean += '/';
  return clean;
}

Result<AllowedPaths> AllowedPaths::Parse(const std::vector<std::string>& paths) {
  AllowedPaths allowed;
  for (const std::string& given : paths) {
    std::string path = given.starts_with('/') ? given : "/" + given;
    const size_t star = path.find('*');
    if (star == std::string::npos) {
      allowed.paths_.push_back(std::move(path));
    } else if (star + 1 == path.size()) {
      path.pop_back();
      allowed.prefixes_.push_back(std::move(path));
    } else {
      return Status::InvalidArgument(
          Format("--authorization-always-allow-paths: only trailing * allowed in \"{}\"", given));
    }
  }
  return allowed;
}

bool AllowedPaths::Matches(std::string_view path) const {
  return std::find(paths_.begin(), paths_.end(), path) != paths_.end() ||
         std::any_of(prefixes_.begin(), prefixes_.end(),
                     [&](const std::string& prefix) { return path.starts_with(prefix); });
}

}  // namespace capstan::manager
