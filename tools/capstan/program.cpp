#include "capstan/program.h"

#include <cstdio>

#include <capstan/runtime/runtime.h>

#include "base/cli/flag_set.h"
#include "capstan/options.h"
#include "capstan/why.h"

namespace capstan::tool {
namespace {

int Failed(const Status& status) {
  std::fprintf(stderr, "capstan: %s\n", status.message().c_str());
  return 1;
}

}  // namespace

int Main(const std::vector<std::string>& arguments) {
  const auto parsed = ParseCommandLine(arguments, cli::TerminalWidth());
  if (!parsed) return Failed(parsed.status());
  if (const auto* text = std::get_if<std::string>(&*parsed)) {
    std::fputs(text->c_str(), stdout);
    return 0;
  }
  const auto answer = Why(std::get<WhyOptions>(*parsed), {.runtime = SystemRuntime()});
  if (!answer) return Failed(answer.status());
  std::fputs(answer->c_str(), stdout);
  return 0;
}

}  // namespace capstan::tool
