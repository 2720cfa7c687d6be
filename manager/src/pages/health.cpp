#include "pages/health.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "pages/health_metrics.h"

namespace capstan::manager {
namespace {

constexpr Duration kLongestSilence = std::chrono::minutes(2);

Status CheckLog(const std::function<Duration()>& blocked_for) {
  if (blocked_for() < kLongestSilence) return Status::Ok();
  return {StatusReason::kTimeout, "logging blocked"};
}

std::set<std::string> ExcludedBy(const http::ServerRequest& request) {
  std::set<std::string> excluded;
  for (const auto& [name, value] : request.query) {
    if (name == "exclude") excluded.insert(value);
  }
  return excluded;
}

std::string QuotedNames(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "\"" : ",\"") + name + "\"";
  return text;
}

}  // namespace

struct HealthPages::State {
  struct Page {
    std::string name;
    HealthCheckList checks;
  };

  explicit State(std::function<Duration()> blocked_for) : log_blocked_for(std::move(blocked_for)) {}

  std::vector<HealthCheck> ChecksOf(const Page& page) const {
    std::vector<HealthCheck> checks{
        {"ping", [] { return Status::Ok(); }},
        {"log", [this] { return CheckLog(log_blocked_for); }},
    };
    for (HealthCheck& check : page.checks()) checks.push_back(std::move(check));
    return checks;
  }

  /// Runs one check and records the result in the metrics and the log.
  Status Run(const Page& page, const HealthCheck& check) {
    Status status = check.check();
    metrics.Observe(page.name, check.name, status.ok());
    // Writing to a blocked log would block this thread.
    if (!status.ok() && log_blocked_for() < std::chrono::seconds(1)) {
      LogError(status, "Health check failed", {{"page", page.name}, {"check", check.name}});
    }
    return status;
  }

  http::ServerResponse RunAll(const Page& page, const http::ServerRequest& request) {
    std::set<std::string> excluded = ExcludedBy(request);
    std::set<std::string> present;
    std::string report;
    bool healthy = true;
    for (const HealthCheck& check : ChecksOf(page)) {
      present.insert(check.name);
      if (excluded.erase(check.name) > 0) {
        report += "[+]" + check.name + " excluded: ok\n";
      } else if (Run(page, check).ok()) {
        report += "[+]" + check.name + " ok\n";
      } else {
        report += "[-]" + check.name + " failed: reason withheld\n";
        healthy = false;
      }
    }
    metrics.Keep(page.name, present);
    if (!excluded.empty()) {
      report += "warn: some health checks cannot be excluded: no matches for " +
                QuotedNames(excluded) + "\n";
      LogV(2, "Health checks to exclude do not exist",
           {{"page", page.name}, {"checks", QuotedNames(excluded)}});
    }
    report += page.name + " check " + (healthy ? "passed" : "failed") + "\n";
    if (!healthy) return {.status = 500, .body = std::move(report)};
    return {.body = request.Has("verbose") ? std::move(report) : "ok"};
  }

  http::ServerResponse RunOne(const Page& page, std::string_view name, FailureReasons reasons) {
    for (const HealthCheck& check : ChecksOf(page)) {
      if (check.name != name) continue;
      const Status status = Run(page, check);
      if (status.ok()) return {.body = "ok"};
      return {.status = 500,
              .body = reasons == FailureReasons::kShown
                          ? "internal server error: " + status.message() + "\n"
                          : "[-]" + check.name + " failed: reason withheld\n"};
    }
    return {.status = 404, .body = "404 page not found\n"};
  }

  std::string Slis() {
    for (const Page& page : pages) (void)RunAll(page, {});
    return metrics.Serialize();
  }

  const std::function<Duration()> log_blocked_for;
  std::vector<Page> pages;  // constant once served
  HealthMetrics metrics;
};

HealthPages::HealthPages(std::function<Duration()> log_blocked_for)
    : state_(std::make_shared<State>(std::move(log_blocked_for))) {}
HealthPages::~HealthPages() = default;

void HealthPages::Define(std::string page, HealthCheckList checks) {
  state_->pages.push_back({std::move(page), std::move(checks)});
}

void HealthPages::AddTo(http::Mux& mux, FailureReasons reasons) const {
  for (size_t i = 0; i < state_->pages.size(); ++i) {
    const std::string path = "/" + state_->pages[i].name;
    mux.Handle(path, [state = state_, i](const http::ServerRequest& request) {
      return state->RunAll(state->pages[i], request);
    });
    mux.Handle(path + "/", [state = state_, i, reasons,
                            skip = path.size() + 1](const http::ServerRequest& request) {
      return state->RunOne(state->pages[i], std::string_view(request.path).substr(skip), reasons);
    });
  }
}

void HealthPages::AddSlisTo(http::Mux& mux) const {
  mux.Handle("/metrics/slis", [state = state_](const http::ServerRequest&) {
    return http::ServerResponse{.content_type = "text/plain; version=0.0.4; charset=utf-8",
                                .body = state->Slis()};
  });
}

}  // namespace capstan::manager
