#include "process/manager_server.h"

#include <utility>

#include "pages/configz_page.h"
#include "pages/controllers_page.h"
#include "pages/flagz_page.h"
#include "pages/health.h"
#include "pages/log_flags_page.h"
#include "pages/profiling_pages.h"
#include "pages/statusz_page.h"
#include "pages/why_page.h"

namespace capstan::manager {
namespace {

constexpr char kComponent[] = "capstan-controller-manager";
constexpr char kConfigGroup[] = "capstan.dev";

/// Adds one check for the presence of the controller, as kube-controller-manager does, and the
/// checks of its plugin.
void AddChecksOf(const std::shared_ptr<PluginHost>& host, std::vector<HealthCheck>& checks) {
  checks.push_back({host->name(), [] { return Status::Ok(); }});
  for (const auto& [name, check] : host->plugin().HealthChecks()) {
    checks.push_back({host->name() + "-" + name, [host, check = check] { return check(); }});
  }
}

ControllerSummary SummaryOf(const PluginHost& host) {
  ControllerSummary summary{.name = host.name(), .state = std::string(ToText(host.state()))};
  for (const std::string& resource : host.MissingResources()) {
    summary.state += " " + resource;
  }
  for (const auto& controller : host.controllers()) {
    const auto state = controller->state();
    summary.queue_length += state.queued;
    summary.workers += state.workers;
    summary.active_workers += state.busy;
    if (state.last_error.empty()) continue;
    summary.last_error = state.last_error;
    summary.last_error_at = state.last_error_time;
  }
  return summary;
}

Status NotLeading() {
  return {StatusReason::kServiceUnavailable,
          "this manager is a standby and does not know the objects; ask the leader"};
}

}  // namespace

ManagerServer::ManagerServer(const Options& options, const Dependencies& dependencies,
                             ApiConnections& connections, ManagerView view)
    : options_(options),
      dependencies_(dependencies),
      connections_(connections),
      view_(std::move(view)) {
  AddHealth();
  AddMetrics();
  AddZPages();
  AddDebugPages();
  AddWhy();
}

/// Cancels the requests under way first, so that destroying the listeners does not wait for them.
ManagerServer::~ManagerServer() {
  stop_.request_stop();
  if (guard_) guard_->Stop();
}

void ManagerServer::AddHealth() {
  const HealthCheckList live = [this] {
    std::vector<HealthCheck> checks;
    if (view_.election) checks.push_back({"leaderElection", view_.election});
    if (const auto group = view_.group()) {
      for (const auto& host : group->hosts()) AddChecksOf(host, checks);
    }
    return checks;
  };
  const HealthCheckList ready = [this, live] {
    std::vector<HealthCheck> checks = live();
    checks.push_back({"apiserver", view_.api_server});
    checks.push_back({"informer-sync", view_.caches});
    // Distinguishes a leader from a standby. Both are ready.
    checks.push_back({view_.is_leading() ? "leading" : "standby", [] { return Status::Ok(); }});
    return checks;
  };
  HealthPages pages;
  pages.Define("healthz", live);
  pages.Define("livez", live);
  pages.Define("readyz", ready);
  pages.AddTo(mux_);
  pages.AddSlisTo(mux_);
  pages.AddTo(health_mux_, FailureReasons::kWithheld);
}

void ManagerServer::AddMetrics() {
  const http::Mux::Handler serve = [this](const http::ServerRequest&) {
    return http::ServerResponse{.content_type = "text/plain; version=0.0.4; charset=utf-8",
                                .body = dependencies_.metrics.Serialize()};
  };
  mux_.Handle("/metrics", serve);
  metrics_mux_.Handle("/metrics", serve);
}

void ManagerServer::AddZPages() {
  if (dependencies_.configz) AddConfigzPage(mux_, kConfigGroup, dependencies_.configz);
  if (dependencies_.flagz) AddFlagzPage(mux_, kComponent, dependencies_.flagz);
  AddStatuszPage(mux_, dependencies_.runtime.clock(),
                 {.component = kComponent,
                  .role = [this] { return view_.is_leading() ? "leading" : "standing by"; }});
}

void ManagerServer::AddDebugPages() {
  AddLogFlagsPage(mux_);
  AddControllersPage(mux_,
                     {.controllers =
                          [this] {
                            std::vector<ControllerSummary> all;
                            if (const auto group = view_.group()) {
                              for (const auto& host : group->hosts())
                                all.push_back(SummaryOf(*host));
                            }
                            return all;
                          },
                      .pages = [this](const std::string& plugin) -> std::optional<PluginPages> {
                        const auto group = view_.group();
                        if (!group) return std::nullopt;
                        for (const auto& host : group->hosts()) {
                          if (host->name() == plugin)
                            return PluginPages{host, host->plugin().Pages()};
                        }
                        return std::nullopt;
                      }});
  if (options_.serving.profiling) {
    AddProfilingPages(mux_, dependencies_.runtime, stop_.get_token());
  }
}

void ManagerServer::AddWhy() {
  const auto leading = [this] { return view_.is_leading() ? view_.group() : nullptr; };
  AddWhyPage(mux_, dependencies_.runtime.clock(),
             {.explain = [leading](std::string_view kind,
                                   const NamespacedName& name) -> Result<ExplainedObject> {
                const auto group = leading();
                return group ? group->Explain(kind, name) : NotLeading();
              },
              .unsettled = [leading]() -> Result<std::vector<ExplainedObject>> {
                const auto group = leading();
                return group ? group->Unsettled() : NotLeading();
              }});
}

Status ManagerServer::StartGuard() {
  auto authentication = connections_.ForReviews(options_.authentication.kubeconfig);
  if (!authentication) return authentication.status().WithContext("--authentication-kubeconfig");
  auto authorization = connections_.ForReviews(options_.authorization.kubeconfig);
  if (!authorization) return authorization.status().WithContext("--authorization-kubeconfig");
  guard_ = std::make_unique<AccessGuard>(
      options_.authentication, options_.authorization,
      AccessGuard::Server{authentication->transport, authentication->host},
      AccessGuard::Server{authorization->transport, authorization->host}, dependencies_.runtime,
      dependencies_.metrics);
  return guard_->Start();
}

Status ManagerServer::StartBare(std::unique_ptr<HttpServer>& server, const std::string& name,
                                int port, const http::Mux& mux) {
  if (port == 0) return Status::Ok();
  auto started =
      HttpServer::Start(name, options_.serving.bind_address, port,
                        [&mux](const http::ServerRequest& request) { return mux.Serve(request); });
  if (!started) return started.status().WithContext("--" + name + "-port");
  server = *std::move(started);
  return Status::Ok();
}

Status ManagerServer::Start() {
  const ServingOptions& serving = options_.serving;
  if (Status status = StartBare(metrics_, "metrics", serving.metrics_port, metrics_mux_);
      !status.ok()) {
    return status;
  }
  if (Status status = StartBare(healthz_, "healthz", serving.healthz_port, health_mux_);
      !status.ok()) {
    return status;
  }
  if (serving.secure_port == 0) return Status::Ok();
  if (Status status = StartGuard(); !status.ok()) return status;
  const http::Mux::Handler page = [this](const http::ServerRequest& request) {
    return mux_.Serve(request);
  };
  auto https = HttpsServer::Start(serving, [this, page](const http::ServerRequest& request) {
    return guard_->Serve(request, page);
  });
  if (!https) return https.status();
  https_ = *std::move(https);
  return Status::Ok();
}

}  // namespace capstan::manager
