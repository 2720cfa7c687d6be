#include "pages/controllers_page.h"

#include <algorithm>
#include <utility>

#include <capstan/api/raw_json.h>
#include <capstan/api/time.h>
#include <capstan/plugin/hosted_plugin.h>
#include <capstan/runtime/format.h>

namespace capstan::manager {
namespace {

constexpr std::string_view kRoot = "/debug/controllers/";

std::string JsonOf(std::string_view text) { return RawJson::String(text).text(); }

std::string TimeText(const std::optional<WallTime>& time) {
  return time ? api::Time(*time).ToString() : "";
}

std::string StatesJson(const std::vector<ControllerSummary>& controllers) {
  std::string json;
  for (const ControllerSummary& c : controllers) {
    json += Format(R"({}{{"name":{},"enabled":{},"state":{},"queueLength":{},"workers":{},)"
                   R"("activeWorkers":{})",
                   json.empty() ? "" : ",", JsonOf(c.name), c.enabled, JsonOf(c.state),
                   c.queue_length, c.workers, c.active_workers);
    if (!c.last_error.empty()) json += ",\"lastError\":" + JsonOf(c.last_error);
    if (c.last_error_at) json += ",\"lastErrorTime\":" + JsonOf(TimeText(c.last_error_at));
    json += '}';
  }
  return "{\"items\":[" + json + "]}\n";
}

// Replaces characters so that an error takes one line.
std::string OneLine(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
  return text;
}

std::string StatesText(const std::vector<ControllerSummary>& controllers) {
  std::string text;
  for (const ControllerSummary& c : controllers) {
    text +=
        Format("{}: {}{}\n  queue {}, workers {} ({} active)\n", c.name,
               c.enabled ? "" : "disabled, ", c.state, c.queue_length, c.workers, c.active_workers);
    if (c.last_error.empty()) continue;
    text += c.last_error_at ? Format("  last error, at {}: ", TimeText(c.last_error_at))
                            : std::string("  last error: ");
    text += OneLine(c.last_error) + "\n";
  }
  return text.empty() ? "there are no controllers\n" : text;
}

http::ServerResponse ServeStates(const ControllersSource& source,
                                 const http::ServerRequest& request) {
  const std::string format = request.Get("format");
  if (!format.empty() && format != "json" && format != "text") {
    return {.status = 400, .body = "format: must be \"text\" or \"json\"\n"};
  }
  const std::vector<ControllerSummary> controllers = source.controllers();
  if (format == "json") {
    return {.content_type = "application/json", .body = StatesJson(controllers)};
  }
  return {.body = StatesText(controllers)};
}

std::string PagesText(const std::string& plugin, const std::map<std::string, PageFunction>& pages) {
  std::string text;
  for (const auto& [path, page] : pages) text += Format("{}{}/{}\n", kRoot, plugin, path);
  return text.empty() ? plugin + " has no pages\n" : text;
}

http::ServerResponse ServePluginPage(const ControllersSource& source,
                                     const http::ServerRequest& request) {
  const std::string rest = request.path.substr(kRoot.size());
  const size_t slash = std::min(rest.find('/'), rest.size());
  const std::string plugin = rest.substr(0, slash);
  const std::string path = rest.substr(std::min(slash + 1, rest.size()));
  const auto found = plugin.empty() ? std::nullopt : source.pages(plugin);
  if (!found) return {.status = 404, .body = "unknown controller\n"};
  const PageFunction* const page = FindPage(found->pages, path);
  if (!page && path.empty()) return {.body = PagesText(plugin, found->pages)};
  if (!page) return {.status = 404, .body = "404 page not found\n"};
  PageAnswer answer = (*page)({.path = path, .query = request.query});
  return {.status = answer.status,
          .content_type = std::move(answer.content_type),
          .body = std::move(answer.body)};
}

}  // namespace

void AddControllersPage(http::Mux& mux, ControllersSource source) {
  const auto shared = std::make_shared<const ControllersSource>(std::move(source));
  mux.Handle("/debug/controllers", [shared](const http::ServerRequest& request) {
    return ServeStates(*shared, request);
  });
  mux.Handle(std::string(kRoot), [shared](const http::ServerRequest& request) {
    return request.path == kRoot ? ServeStates(*shared, request)
                                 : ServePluginPage(*shared, request);
  });
}

}  // namespace capstan::manager
