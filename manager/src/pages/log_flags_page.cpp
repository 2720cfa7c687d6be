#include "pages/log_flags_page.h"

#include <charconv>
#include <optional>

#include <capstan/log/log.h>
#include <capstan/runtime/format.h>

namespace capstan::manager {
namespace {

std::optional<int> ParseVerbosity(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  int verbosity = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), verbosity);
  if (error != std::errc() || end != text.data() + text.size() || verbosity < 0) {
    return std::nullopt;
  }
  return verbosity;
}

http::ServerResponse SetVerbosity(const http::ServerRequest& request) {
  const std::optional<int> verbosity = ParseVerbosity(request.body);
  if (!verbosity) {
    return {.status = 400,
            .body = "klog.logging.verbosity: the body must be a number, 0 or more\n"};
  }
  SetLogVerbosity(*verbosity);
  LogInfo("Log verbosity changed", {{"v", *verbosity}});
  return {.body = Format("successfully set klog.logging.verbosity to {}", *verbosity)};
}

}  // namespace

void AddLogFlagsPage(http::Mux& mux) { mux.Handle("PUT", "/debug/flags/v", SetVerbosity); }

}  // namespace capstan::manager
