#include "config/foreign_flags.h"

#include <span>
#include <string>

namespace capstan::manager {
namespace {

/// Flags of controllers that Capstan does not have.
constexpr std::string_view kOtherControllers[] = {
    "attach-detach-reconcile-sync-period",
    "cluster-signing-cert-file",
    "cluster-signing-duration",
    "cluster-signing-key-file",
    "cluster-signing-kube-apiserver-client-cert-file",
    "cluster-signing-kube-apiserver-client-key-file",
    "cluster-signing-kubelet-client-cert-file",
    "cluster-signing-kubelet-client-key-file",
    "cluster-signing-kubelet-serving-cert-file",
    "cluster-signing-kubelet-serving-key-file",
    "cluster-signing-legacy-unknown-cert-file",
    "cluster-signing-legacy-unknown-key-file",
    "concurrent-cron-job-syncs",
    "concurrent-daemonset-syncs",
    "concurrent-device-taint-eviction-syncs",
    "concurrent-endpoint-syncs",
    "concurrent-ephemeralvolume-syncs",
    "concurrent-gc-syncs",
    "concurrent-horizontal-pod-autoscaler-syncs",
    "concurrent-job-syncs",
    "concurrent-namespace-syncs",
    "concurrent-rc-syncs",
    "concurrent-resource-quota-syncs",
    "concurrent-resourceclaim-syncs",
    "concurrent-service-endpoint-syncs",
    "concurrent-service-syncs",
    "concurrent-serviceaccount-token-syncs",
    "concurrent-statefulset-syncs",
    "concurrent-ttl-after-finished-syncs",
    "concurrent-validating-admission-policy-status-syncs",
    "disable-attach-detach-reconcile-sync",
    "disable-force-detach-on-timeout",
    "enable-dynamic-provisioning",
    "enable-garbage-collector",
    "enable-hostpath-provisioner",
    "endpoint-updates-batch-period",
    "endpointslice-updates-batch-period",
    "flex-volume-plugin-dir",
    "horizontal-pod-autoscaler-cpu-initialization-period",
    "horizontal-pod-autoscaler-downscale-stabilization",
    "horizontal-pod-autoscaler-initial-readiness-delay",
    "horizontal-pod-autoscaler-sync-period",
    "horizontal-pod-autoscaler-tolerance",
    "large-cluster-size-threshold",
    "legacy-service-account-token-clean-up-period",
    "max-endpoints-per-slice",
    "mirroring-concurrent-service-endpoint-syncs",
    "mirroring-endpointslice-updates-batch-period",
    "mirroring-max-endpoints-per-subset",
    "namespace-sync-period",
    "node-eviction-rate",
    "node-monitor-grace-period",
    "node-startup-grace-period",
    "pv-recycler-increment-timeout-nfs",
    "pv-recycler-minimum-timeout-hostpath",
    "pv-recycler-minimum-timeout-nfs",
    "pv-recycler-pod-template-filepath-hostpath",
    "pv-recycler-pod-template-filepath-nfs",
    "pv-recycler-timeout-increment-hostpath",
    "pvclaimbinder-sync-period",
    "resource-quota-sync-period",
    "root-ca-file",
    "secondary-node-eviction-rate",
    "service-account-private-key-file",
    "terminated-pod-gc-threshold",
    "unhealthy-zone-threshold",
};

/// Flags for cloud providers and node networks.
constexpr std::string_view kCloud[] = {
    "allocate-node-cidrs",
    "cidr-allocator-type",
    "cloud-config",
    "cloud-provider",
    "cluster-cidr",
    "cluster-name",
    "configure-cloud-routes",
    "external-cloud-volume-plugin",
    "node-cidr-mask-size",
    "node-cidr-mask-size-ipv4",
    "node-cidr-mask-size-ipv6",
    "node-monitor-period",
    "route-reconciliation-period",
    "service-cluster-ip-range",
};

constexpr std::string_view kVersions[] = {"emulated-version", "min-compatibility-version"};

/// Flags with which Argo and kubectl override parts of the kubeconfig.
constexpr std::string_view kConnection[] = {
    "as",
    "as-group",
    "as-uid",
    "as-user-extra",
    "certificate-authority",
    "client-certificate",
    "client-key",
    "cluster",
    "context",
    "disable-compression",
    "insecure-skip-tls-verify",
    "password",
    "proxy-url",
    "request-timeout",
    "tls-server-name",
    "token",
    "user",
    "username",
};

constexpr std::string_view kRollouts[] = {
    "alb-ingress-classes",
    "alb-tag-key-resource-id",
    "alb-verify-weight",
    "ambassador-api-version",
    "analysis-threads",
    "appmesh-crd-version",
    "aws-target-group-binding-api-version",
    "aws-verify-target-group",
    "ephemeral-metadata-threads",
    "ephemeral-metadata-update-pod-retries",
    "experiment-threads",
    "ingress-api-version",
    "ingress-threads",
    "istio-api-version",
    "nginx-ingress-classes",
    "self-service-notification-enabled",
    "service-threads",
    "traefik-api-group",
    "traefik-api-version",
    "traffic-split-api-version",
};

struct Group {
  std::span<const std::string_view> names;
  std::string_view reason;
};

constexpr Group kGroups[] = {
    {kOtherControllers,
     "not supported: it belongs to a controller that is not a plugin of this manager; leave that "
     "controller, and the flag, to kube-controller-manager"},
    {kCloud,
     "not supported: it belongs to the node and cloud controllers; leave them, and the flag, to "
     "kube-controller-manager or the cloud controller manager"},
    {kVersions,
     "not supported: the manager does not emulate other versions; --version shows its own"},
    {kConnection,
     "not supported: only the kubeconfig defines the connection to the API server; put it into the "
     "file of --kubeconfig"},
    {kRollouts,
     "not supported: it belongs to Argo's own resources, which no plugin of this manager controls"},
};

constexpr RefusedFlag kSingles[] = {
    {"enable-leader-migration",
     "not supported: controllers move between managers with --controllers only", "false"},
    {"leader-migration-config",
     "not supported: controllers move between managers with --controllers only", ""},
    {"tls-curve-preferences", "not supported: the TLS library offers only secure curves", ""},
    {"permit-port-sharing",
     "not supported: one of two managers on one port would get the probes of both; give each its "
     "own --secure-port",
     "false"},
    {"log-json-info-buffer-size", "not supported: each line is written immediately", "0"},
    {"log-text-info-buffer-size", "not supported: each line is written immediately", "0"},
    {"log-json-split-stream", "not supported: all lines go to standard error", "false"},
    {"log-text-split-stream", "not supported: all lines go to standard error", "false"},
    {"server", "not supported: use --master, its name in kube-controller-manager", ""},
    {"rollout-threads",
     "not supported: there are no Rollouts; for Deployments use --deployment-threads or "
     "--concurrent-deployment-syncs",
     ""},
    {"rollout-resync",
     "not supported: use --min-resync-period, its name in kube-controller-manager, with a duration "
     "such as 15m",
     ""},
    {"enable-pprof-address", "not supported: --secure-port serves the profiles; see --profiling",
     ""},
};

}  // namespace

std::vector<RefusedFlag> RefusedFlags() {
  std::vector<RefusedFlag> refused(std::begin(kSingles), std::end(kSingles));
  for (const Group& group : kGroups) {
    for (const std::string_view name : group.names) refused.push_back({name, group.reason, ""});
  }
  return refused;
}

void AddForeignFlags(cli::FlagSet& flags, IgnoredValues& ignored) {
  flags.BeginSection("Ineffective");
  flags.AddBool("disable-http2-serving", &ignored.disable_http2, "Only HTTP/1.1 is served.");
  flags.AddInt("http2-max-streams-per-connection", &ignored.http2_streams,
               "Only HTTP/1.1 is served.");
  flags.AddBool("permit-address-sharing", &ignored.address_sharing,
                "Ports are always opened with SO_REUSEADDR.");
  flags.AddDuration("log-flush-frequency", &ignored.flush_frequency,
                    "Each line is written immediately.");
  for (const RefusedFlag& refused : RefusedFlags()) {
    if (flags.Has(refused.name)) continue;
    flags.AddRefused(std::string(refused.name), std::string(refused.reason),
                     std::string(refused.harmless));
  }
}

}  // namespace capstan::manager
