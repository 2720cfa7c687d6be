#include "config/settings.h"

namespace capstan::manager {
namespace {

void ListClientSettings(SettingList& list, Options& options) {
  list.Add("kube-api-qps", "generic.clientConnection.qps", &options.kube_api_qps,
           "Average number of requests per second to the API server; 0 or a negative number: no "
           "limit. When this or --kube-api-burst is given, the rate is fixed; otherwise it starts "
           "here and adapts to the load of the server, up to --kube-api-qps-max.")
      .other_flags = {"qps"};
  list.Add("kube-api-burst", "generic.clientConnection.burst", &options.kube_api_burst,
           "Number of requests that may exceed the rate in a burst.")
      .other_flags = {"burst"};
  list.Add("kube-api-qps-max", "generic.clientConnection.maxQPS", &options.kube_api_qps_max,
           "Highest rate that the client may adapt to; 0: the rate is fixed. Without this flag, "
           "--kube-api-qps or --kube-api-burst fixes the rate.");
  list.Add("kube-api-content-type", "generic.clientConnection.contentType",
           cli::ChoiceOf(&options.kube_api_content_type,
                         {"application/vnd.kubernetes.protobuf", "application/json"}),
           "Encoding in which objects are requested from the API server. Pods and other objects "
           "whose fields have protobuf numbers are read as protobuf where the server offers it; "
           "everything else, and every request body, is JSON.");
}

void ListScopeSettings(SettingList& list, Options& options) {
  Setting& name = list.Add("namespace", "generic.namespace", &options.namespace_,
                           "Control only objects in this namespace; empty: in all namespaces.");
  name.shorthand = 'n';
  list.Add("namespaced", "generic.namespaced", &options.namespaced,
           "Control only objects in one namespace: that of --namespace, or without it that of the "
           "kubeconfig or the pod.");
  list.Add("instance-id", "generic.instanceID", &options.instance_id,
           "Control only objects with this value of the label capstan.dev/instance-id; empty: only "
           "those without the label.");
}

}  // namespace

void ListGenericSettings(SettingList& list, Options& options) {
  list.BeginSection("Generic");
  list.Add("config", "", &options.config_file,
           "Configuration file: YAML, capstan.dev/v1alpha1 ControllerManagerConfiguration. Flags "
           "take precedence over it. It is reloaded when it changes and on SIGHUP.");
  list.Add("controllers", "generic.controllers", &options.controllers,
           "Controllers to run: '*' means all that are on by default, 'foo' the controller "
           "foo, '-foo' not the controller foo. The first entry that matches applies.")
      .at_run_time = true;
  list.Add("plugin-dir", "generic.pluginDir", &options.plugin_dir,
           "Directory of the plugins; every *.so in it that is a plugin is available.");
  list.Add("feature-gates", "featureGates", &options.feature_gates,
           "Feature gates, as gate=true or gate=false.");
  list.Add("dry-run", "generic.dryRun", &options.dry_run,
           "Read, plan and log, but write nothing. Disables leader election.");
  list.Add("standby-cache", "generic.standbyCache",
           cli::ChoiceOf(&options.standby_cache, {"warm", "cold"}),
           "Caches of a standby: warm keeps them filled, so that it can take over immediately; "
           "cold saves the memory.");
  list.Add("use-service-account-credentials", "generic.useServiceAccountCredentials",
           &options.use_service_account_credentials,
           "Each controller uses its own service account.");
  ListScopeSettings(list, options);
  ListClientSettings(list, options);
  list.Add("min-resync-period", "generic.minResyncPeriod", &options.min_resync_period,
           "Shortest resync period of informers; the actual one is random, up to twice this.");
  list.Add("controller-start-interval", "generic.controllerStartInterval",
           &options.controller_start_interval, "Interval between the starts of two controllers.");
  list.Add("controller-shutdown-timeout", "generic.controllerShutdownTimeout",
           &options.controller_shutdown_timeout,
           "How long workers may take to finish their current object when the process stops.");
  list.Add("controller-stuck-timeout", "generic.controllerStuckTimeout",
           &options.controller_stuck_timeout,
           "A leader releases the lease when every worker of a controller has been busy with one "
           "object for this long; 0: never.");
  list.BeginSection("Misc");
  list.Add("kubeconfig", "generic.clientConnection.kubeconfig", &options.kubeconfig,
           "Kubeconfig with the API server and the credentials. Without it, and without --master, "
           "the service account of the pod is used.");
  list.Add("master", "generic.clientConnection.master", &options.master,
           "URL of the API server; takes precedence over that of the kubeconfig.")
      .is_url = true;
}

void ListLeaderElectionSettings(SettingList& list, LeaderElectionOptions& options) {
  list.BeginSection("Leader election");
  list.Add(
      "leader-elect", "generic.leaderElection.leaderElect", &options.enabled,
      "Acquire a lease before running controllers, so that only one of several managers works.");
  list.Add("leader-elect-lease-duration", "generic.leaderElection.leaseDuration",
           &options.lease_duration,
           "How long other managers wait after the last renewal that they observed before they "
           "take the lease.")
      .other_flags = {"leader-election-lease-duration"};
  list.Add("leader-elect-renew-deadline", "generic.leaderElection.renewDeadline",
           &options.renew_deadline,
           "How long the leader may go without a successful renewal before it stops leading; "
           "shorter than the lease duration.")
      .other_flags = {"leader-election-renew-deadline"};
  list.Add("leader-elect-retry-period", "generic.leaderElection.retryPeriod", &options.retry_period,
           "How long to wait between attempts to acquire or renew the lease.")
      .other_flags = {"leader-election-retry-period"};
  list.Add("leader-elect-resource-lock", "generic.leaderElection.resourceLock",
           &options.resource_lock, "Type of the lock; the only one is leases.");
  list.Add("leader-elect-resource-name", "generic.leaderElection.resourceName",
           &options.resource_name, "Name of the Lease.");
  list.Add("leader-elect-resource-namespace", "generic.leaderElection.resourceNamespace",
           &options.resource_namespace, "Namespace of the Lease.");
}

}  // namespace capstan::manager
