#include "config/settings.h"

namespace capstan::manager {
namespace {

void ListClientSettings(SettingList& list, Options& options) {
  list.Add("kube-api-qps", "generic.clientConnection.qps", &options.kube_api_qps,
           "Requests a second to the API server, on average; a negative number or 0 is no limit. "
           "When this or --kube-api-burst is given, the rate stays where it is; otherwise it "
           "begins here and adapts to what the server bears, up to --kube-api-qps-max.")
      .other_flags = {"qps"};
  list.Add("kube-api-burst", "generic.clientConnection.burst", &options.kube_api_burst,
           "Requests that may go out at once after a quiet time.")
      .other_flags = {"burst"};
  list.Add("kube-api-qps-max", "generic.clientConnection.maxQPS", &options.kube_api_qps_max,
           "How far the rate may rise by itself; 0: it does not. Without this it does not either "
           "when --kube-api-qps or --kube-api-burst is given.");
}

void ListScopeSettings(SettingList& list, Options& options) {
  Setting& name = list.Add("namespace", "generic.namespace", &options.namespace_,
                           "Only objects in this namespace are controlled; empty: in all.");
  name.shorthand = 'n';
  list.Add("namespaced", "generic.namespaced", &options.namespaced,
           "Only objects in one namespace are controlled: in that of --namespace, or without it in "
           "that of the kubeconfig or the pod.");
  list.Add("instance-id", "generic.instanceID", &options.instance_id,
           "Only objects with this value of the label capstan.dev/instance-id are controlled; "
           "empty: only those without the label.");
}

}  // namespace

void ListGenericSettings(SettingList& list, Options& options) {
  list.BeginSection("Generic");
  list.Add("config", "", &options.config_file,
           "Configuration file: YAML, capstan.dev/v1alpha1 ControllerManagerConfiguration. Flags "
           "win over it. It is read again when it changes and at SIGHUP.");
  list.Add("controllers", "generic.controllers", &options.controllers,
           "Controllers to run: '*' means all that are on by default, 'foo' the controller "
           "foo, '-foo' not the controller foo. The first entry that fits counts.")
      .at_run_time = true;
  list.Add("plugin-dir", "generic.pluginDir", &options.plugin_dir,
           "Directory of the plugins; every *.so in it that is a plugin is known.");
  list.Add("feature-gates", "featureGates", &options.feature_gates,
           "Switches of what is new, as gate=true or gate=false.");
  list.Add("dry-run", "generic.dryRun", &options.dry_run,
           "Read, plan and log, but send nothing that changes anything. There is no leader "
           "election then.");
  list.Add("standby-cache", "generic.standbyCache",
           cli::ChoiceOf(&options.standby_cache, {"warm", "cold"}),
           "What a manager does that does not lead: warm keeps the caches filled, so that it can "
           "take over at once; cold saves the memory.");
  list.Add("use-service-account-credentials", "generic.useServiceAccountCredentials",
           &options.use_service_account_credentials,
           "Each controller acts as a service account of its own.");
  ListScopeSettings(list, options);
  ListClientSettings(list, options);
  list.Add("min-resync-period", "generic.minResyncPeriod", &options.min_resync_period,
           "How often informers repeat what they hold to their handlers; the period in "
           "use is between this and twice this, at random.");
  list.Add("controller-start-interval", "generic.controllerStartInterval",
           &options.controller_start_interval,
           "How long to wait from one controller's start to the next.");
  list.Add("controller-shutdown-timeout", "generic.controllerShutdownTimeout",
           &options.controller_shutdown_timeout,
           "How long workers may take to finish what they are at when the process stops.");
  list.Add("controller-stuck-timeout", "generic.controllerStuckTimeout",
           &options.controller_stuck_timeout,
           "A leader gives the lease up when all workers of a controller have been at one object "
           "each for so long; 0: never.");
  list.BeginSection("Misc");
  list.Add("kubeconfig", "generic.clientConnection.kubeconfig", &options.kubeconfig,
           "File that says where the API server is and who we are. Without it, and without "
           "--master, the service account of the pod is used.");
  list.Add("master", "generic.clientConnection.master", &options.master,
           "URL of the API server; wins over the one of the kubeconfig.")
      .is_url = true;
}

void ListLeaderElectionSettings(SettingList& list, LeaderElectionOptions& options) {
  list.BeginSection("Leader election");
  list.Add("leader-elect", "generic.leaderElection.leaderElect", &options.enabled,
           "Win a lease before running controllers, so that of several managers one works.");
  list.Add("leader-elect-lease-duration", "generic.leaderElection.leaseDuration",
           &options.lease_duration,
           "How long others wait after the last renewal that they saw before they take "
           "the lease.")
      .other_flags = {"leader-election-lease-duration"};
  list.Add("leader-elect-renew-deadline", "generic.leaderElection.renewDeadline",
           &options.renew_deadline,
           "How long the leader may go without a renewal that succeeds before it stops "
           "leading; shorter than the lease duration.")
      .other_flags = {"leader-election-renew-deadline"};
  list.Add("leader-elect-retry-period", "generic.leaderElection.retryPeriod", &options.retry_period,
           "How long to wait between tries to acquire or renew.")
      .other_flags = {"leader-election-retry-period"};
  list.Add("leader-elect-resource-lock", "generic.leaderElection.resourceLock",
           &options.resource_lock, "Kind of the lock: leases; there is no other.");
  list.Add("leader-elect-resource-name", "generic.leaderElection.resourceName",
           &options.resource_name, "Name of the Lease.");
  list.Add("leader-elect-resource-namespace", "generic.leaderElection.resourceNamespace",
           &options.resource_namespace, "Namespace of the Lease.");
}

}  // namespace capstan::manager
