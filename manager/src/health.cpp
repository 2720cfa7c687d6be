#include "health.h"

#include <algorithm>
#include <utility>

#include <capstan/log/log.h>

namespace capstan::manager {
namespace {

bool IsExcluded(const ServerRequest& request, const std::string& name) {
  return std::any_of(request.query.begin(), request.query.end(), [&](const auto& parameter) {
    return parameter.first == "exclude" && parameter.second == name;
  });
}

ServerResponse RunAll(const std::string& page, const std::vector<HealthCheck>& checks,
                      const ServerRequest& request) {
  std::string report;
  bool healthy = true;
  for (const HealthCheck& check : checks) {
    if (IsExcluded(request, check.name)) {
      report += "[+]" + check.name + " excluded: ok\n";
      continue;
    }
    const Status status = check.check();
    if (status.ok()) {
      report += "[+]" + check.name + " ok\n";
      continue;
    }
    LogError(status, "Health check failed", {{"check", check.name}});
    report += "[-]" + check.name + " failed: reason withheld\n";
    healthy = false;
  }
  report += page + " check " + (healthy ? "passed" : "failed") + "\n";
  if (!healthy) return {.status = 500, .body = std::move(report)};
  return {.body = request.Has("verbose") ? std::move(report) : "ok"};
}

ServerResponse RunOne(const HealthCheck& check) {
  const Status status = check.check();
  if (status.ok()) return {.body = "ok"};
  LogError(status, "Health check failed", {{"check", check.name}});
  return {.status = 500, .body = "[-]" + check.name + " failed: reason withheld\n"};
}

}  // namespace

void AddHealthPages(Mux& mux, const std::string& path, std::vector<HealthCheck> checks) {
  checks.insert(checks.begin(), {"ping", [] { return Status::Ok(); }});
  for (const HealthCheck& check : checks) {
    mux.Handle(path + "/" + check.name, [check](const ServerRequest&) { return RunOne(check); });
  }
  mux.Handle(path, [page = path.substr(1), checks = std::move(checks)](
                       const ServerRequest& request) { return RunAll(page, checks, request); });
}

}  // namespace capstan::manager
