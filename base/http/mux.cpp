#include "base/http/mux.h"

#include <algorithm>
#include <exception>
#include <optional>

#include <capstan/log/log.h>
#include <capstan/runtime/format.h>

#include "base/text/ascii.h"
#include "base/text/percent.h"

namespace capstan::http {
namespace {

ServerResponse Plain(int status, std::string body) {
  return {.status = status, .body = std::move(body)};
}

ServerResponse Failed(const std::string& path, const std::string& why) {
  LogError(Status(StatusReason::kInternalError, why), "Page handler failed", {{"path", path}});
  return Plain(500, "internal server error\n");
}

}  // namespace

std::string ServerRequest::Header(std::string_view name) const {
  const auto found = std::find_if(headers.begin(), headers.end(), [&](const auto& header) {
    return text::EqualIgnoringCase(header.first, name);
  });
  return found == headers.end() ? "" : found->second;
}

bool ServerRequest::Has(std::string_view name) const {
  return std::any_of(query.begin(), query.end(),
                     [&](const auto& parameter) { return parameter.first == name; });
}

std::string ServerRequest::Get(std::string_view name) const {
  const auto found = std::find_if(query.begin(), query.end(),
                                  [&](const auto& parameter) { return parameter.first == name; });
  return found == query.end() ? "" : found->second;
}

Result<ServerRequest> ParseTarget(std::string_view method, std::string_view target) {
  const Status malformed = Status::Malformed(Format("\"{}\" is not a path", target));
  if (!target.starts_with('/')) return malformed;
  const size_t mark = target.find('?');
  auto path = text::PercentDecoded(target.substr(0, mark));
  if (!path) return malformed;
  ServerRequest request{.method = std::string(method), .path = *std::move(path), .query = {}};
  std::string_view rest = mark == std::string_view::npos ? "" : target.substr(mark + 1);
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view pair = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (pair.empty()) continue;
    const size_t equals = std::min(pair.find('='), pair.size());
    auto name = text::PercentDecoded(pair.substr(0, equals), ' ');
    auto value = text::PercentDecoded(pair.substr(std::min(equals + 1, pair.size())), ' ');
    if (!name || !value) return malformed;
    request.query.emplace_back(*std::move(name), *std::move(value));
  }
  return request;
}

void Mux::Handle(std::string method, std::string path, Handler handler) {
  std::vector<Page>& pages = pages_[std::move(path)];
  std::erase_if(pages, [&](const Page& page) { return page.method == method; });
  pages.push_back({std::move(method), std::move(handler)});
}

std::vector<std::string> Mux::Paths() const {
  std::vector<std::string> paths;
  for (const auto& [path, pages] : pages_) paths.push_back(path);
  return paths;
}

ServerResponse Mux::Serve(const ServerRequest& request) const {
  auto found = pages_.find(request.path);
  for (size_t end = request.path.size(); found == pages_.end() && end > 0;) {
    end = request.path.rfind('/', end - 1);
    if (end == std::string::npos) break;
    found = pages_.find(std::string_view(request.path).substr(0, end + 1));
  }
  if (found == pages_.end()) return Plain(404, "404 page not found\n");
  const std::string_view method =
      request.method == "GET" || request.method == "HEAD" ? "" : std::string_view(request.method);
  const auto page = std::find_if(found->second.begin(), found->second.end(),
                                 [&](const Page& p) { return p.method == method; });
  if (page == found->second.end()) return MethodNotAllowed(found->second);
  try {
    return page->handler(request);
  } catch (const std::exception& error) {
    return Failed(request.path, error.what());
  } catch (...) {
    return Failed(request.path, "it threw an exception that is not a std::exception");
  }
}

ServerResponse Mux::MethodNotAllowed(const std::vector<Page>& pages) {
  std::string allowed;
  for (const Page& page : pages) {
    allowed += (allowed.empty() ? "" : ", ") + (page.method.empty() ? "GET, HEAD" : page.method);
  }
  ServerResponse response = Plain(405, "only " + allowed + " is served here\n");
  response.headers.emplace_back("Allow", std::move(allowed));
  return response;
}

}  // namespace capstan::http
