#include "pages/statusz_page.h"

#include <chrono>
#include <utility>

#include <capstan/api/time.h>
#include <capstan/runtime/format.h>

#include "pages/zpage.h"

namespace capstan::manager {
namespace {

std::string UptimeText(Duration uptime) {
  const int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(uptime).count();
  return Format("{} hr {:02} min {:02} sec", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

}  // namespace

void AddStatuszPage(http::Mux& mux, const Clock& clock, StatuszSource source) {
  mux.Handle("/statusz", [&mux, &clock, started = clock.Now(), since = clock.Monotonic(),
                          source = std::move(source)](const http::ServerRequest&) {
    std::string text = ZPageHeader(source.component, "statusz");
    const auto line = [&](std::string_view name, std::string_view value) {
      text += Format("{}: {}\n", name, value);
    };
    line("Started", api::Time(started).ToString());
    line("Up", UptimeText(clock.Monotonic() - since));
    line("Binary version", source.build.version);
    line("Compiler", source.build.compiler);
    line("Platform", source.build.platform);
    if (source.role) line("Role", source.role());
    std::string paths;
    for (const std::string& path : mux.Paths()) paths += (paths.empty() ? "" : " ") + path;
    line("Paths", paths);
    return http::ServerResponse{.body = std::move(text)};
  });
}

}  // namespace capstan::manager
