#include "demo/demo.h"

#include <cstdio>
#include <map>

#include <capstan/runtime/format.h>

#include "base/io/whole_file.h"
#include "demo/view.h"

namespace capstan::demo {
namespace {

using api::apps::v1::Deployment;

constexpr Duration kPhaseLimit = std::chrono::seconds(25);
constexpr Duration kFrame = std::chrono::milliseconds(100);
const NamespacedName kDeployment{"default", "web"};
const NamespacedName kLease{"kube-system", "capstan-controller-manager"};

/// Server-side apply, as in `kubectl apply --server-side`.
Status Apply(Transport& transport, const std::string& yaml) {
  HttpRequest request{.method = "PATCH",
                      .target = "/apis/apps/v1/namespaces/default/deployments/" + kDeployment.name +
                                "?fieldManager=capstan-demo&force=true",
                      .headers = {{"Content-Type", "application/apply-patch+yaml"},
                                  {"Accept", "application/json"},
                                  {"User-Agent", "capstan-demo"}},
                      .body = yaml};
  auto response = transport.RoundTrip(request, {});
  if (!response) return response.status();
  auto body = ReadAll(**response, size_t{1} << 20);
  if (!body) return body.status();
  if ((*response)->status() < 300) return Status::Ok();
  return Status(StatusReason::kInternalError, "the sample was rejected: " + *body);
}

/// Returns the number of requests that the playground has answered, by verb.
std::map<std::string, uint64_t> CountRequests(const Client& client) {
  std::map<std::string, uint64_t> counts;
  const auto metrics = client.GetPath("/metrics");
  if (!metrics) return counts;
  std::istringstream lines(*metrics);
  constexpr std::string_view kName = "apiserver_request_total{";
  constexpr std::string_view kVerb = "verb=\"";
  for (std::string line; std::getline(lines, line);) {
    const size_t verb = line.find(kVerb);
    const size_t value = line.rfind(' ');
    if (!line.starts_with(kName) || verb == std::string::npos) continue;
    const size_t begin = verb + kVerb.size();
    counts[line.substr(begin, line.find('"', begin) - begin)] +=
        std::strtoull(line.c_str() + value, nullptr, 10);
  }
  return counts;
}

class Demo {
 public:
  Demo(const DemoOptions& options, Stage& stage, Screen& screen, const std::stop_token& stop)
      : options_(options),
        stage_(stage),
        screen_(screen),
        stop_(stop),
        client_(Client(stage.transport(), SystemRuntime(),
                       ClientOptions{.qps = 0, .user_agent = "capstan-demo"})
                    .WithStop(stop)),
        view_(client_, kDeployment, kLease) {}

  Status Run() {
    if (Status status = Deploy(); !status.ok()) return status;
    if (Status status = RollOut(); !status.ok()) return status;
    Summarise();
    return Status::Ok();
  }

  Status Deploy() {
    if (Status status = view_.Start(stop_); !status.ok()) return status;
    auto sample = io::ReadWholeFile(options_.sample);
    if (!sample) return sample.status();
    screen_.Say(stage_.Leader() + " leads; applying " + options_.sample);
    if (Status status = Apply(*stage_.transport(), *sample); !status.ok()) return status;
    return Watch("the first rollout", [](const Scene& scene) { return scene.complete; });
  }

 private:
  Status RollOut() {
    const std::string old_holder = view_.Now().holder;
    pods_before_ = view_.Now().pods_created;
    screen_.Say("setting the image to " + options_.new_image);
    const std::string patch =
        R"({"spec":{"template":{"spec":{"containers":[{"name":"web","image":")" +
        options_.new_image + R"("}]}}}})";
    auto patched = client_.Patch<Deployment>(kDeployment, PatchType::kStrategicMerge, patch);
    if (!patched) return patched.status();
    Status status = Watch("half of the second rollout", [](const Scene& scene) {
      return scene.rows.size() == 2 && scene.rows.back().ready * 2 >= scene.replicas;
    });
    if (!status.ok()) return status;

    killed_ = stage_.KillLeader();
    const MonotonicTime killed_at = SystemRuntime().Now();
    screen_.Say(killed_ + ", the leader, is killed with SIGKILL half-way");
    status = Watch("the takeover by a standby", [&](const Scene& scene) {
      return scene.holder != old_holder && !scene.holder.empty();
    });
    if (!status.ok()) return status;
    failover_ = SystemRuntime().Now() - killed_at;
    // The log may lag slightly behind the lease.
    status = Watch("the new leader's log message",
                   [&](const Scene&) { return !stage_.Leader().empty(); });
    if (!status.ok()) return status;
    screen_.Say(stage_.Leader() + " has taken over");
    return Watch("the second rollout", [](const Scene& scene) { return scene.complete; });
  }

  /// Updates the screen until `is` returns true.
  template <class Is>
  Status Watch(const std::string& what, Is is) {
    const MonotonicTime deadline = SystemRuntime().Now() + kPhaseLimit;
    while (!stop_.stop_requested()) {
      const Scene scene = view_.Now();
      screen_.Show(scene, stage_.Leader(), stage_.Standbys());
      if (is(scene)) return Status::Ok();
      if (Status status = stage_.Check(); !status.ok()) return status;
      if (SystemRuntime().Now() > deadline) {
        return Status(StatusReason::kDeadlineExceeded, what + " took more than 25 s");
      }
      view_.AwaitChange(kFrame, stop_);
    }
    return Status::Canceled();
  }

  void Summarise() {
    const Scene scene = view_.Now();
    const std::chrono::duration<double> failover = failover_;
    uint64_t requests = 0;
    std::string by_verb;
    for (const auto& [verb, count] : CountRequests(client_)) {
      requests += count;
      by_verb += (by_verb.empty() ? "" : ", ") + std::to_string(count) + " " + verb;
    }
    std::printf(
        "\n"
        "  time to take over   %.2f s after SIGKILL, with a lease of 3 s\n"
        "  pods created        %zu for the first rollout, %zu for the second, of %lld replicas\n"
        "  requests            %llu of all clients (%s)\n"
        "\n",
        failover.count(), pods_before_, scene.pods_created - pods_before_,
        static_cast<long long>(scene.replicas), static_cast<unsigned long long>(requests),
        by_verb.c_str());
    std::fflush(stdout);
  }

  const DemoOptions& options_;
  Stage& stage_;
  Screen& screen_;
  const std::stop_token stop_;
  const Client client_;
  View view_;
  std::string killed_;
  Duration failover_{};
  size_t pods_before_ = 0;
};

}  // namespace

Status RunDemo(const DemoOptions& options, Stage& stage, Screen& screen,
               const std::stop_token& stop) {
  screen.Say("starting a playground and three managers");
  if (Status status = stage.Start(stop); !status.ok()) return status;
  return Demo(options, stage, screen, stop).Run();
}

Status RunPlayground(const DemoOptions& options, Stage& stage, Screen& screen,
                     const std::stop_token& stop) {
  screen.Say("starting a playground and three managers");
  if (Status status = stage.Start(stop); !status.ok()) return status;
  Demo demo(options, stage, screen, stop);
  if (Status status = demo.Deploy(); !status.ok()) return status;
  std::printf(
      "\nThe playground runs until Ctrl-C. Try:\n\n"
      "  export KUBECONFIG=%s\n"
      "  kubectl get deployments,replicasets,pods -o wide\n"
      "  kubectl set image deployment/web web=registry.example/web:2.0\n"
      "  kubectl rollout status deployment/web\n"
      "  kubectl scale deployment/web --replicas=20\n"
      "  kubectl get pods -w\n\n",
      stage.kubeconfig().c_str());
  std::fflush(stdout);
  while (SystemRuntime().SleepFor(std::chrono::seconds(1), stop)) {
    if (Status status = stage.Check(); !status.ok()) return status;
  }
  return Status::Ok();
}

}  // namespace capstan::demo
