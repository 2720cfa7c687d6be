#include "config/settings.h"

namespace capstan::manager {

void ListServingSettings(SettingList& list, ServingOptions& options) {
  list.BeginSection("Secure serving");
  list.Add("bind-address", "secureServing.bindAddress", &options.bind_address,
           "IP address on which the ports listen; empty: on all.");
  list.Add("secure-port", "secureServing.securePort", &options.secure_port,
           "HTTPS port of the health checks, the metrics and the other pages; 0: none.");
  list.Add("cert-dir", "secureServing.certDir", &options.cert_dir,
           "Directory that keeps the self-signed certificate across restarts; empty: a new one is "
           "generated at each start.");
  list.Add("tls-cert-file", "secureServing.tlsCertFile", &options.tls_cert_file,
           "PEM file with the serving certificate and its chain. Without it a self-signed "
           "certificate is generated at start. Reloaded when it changes.");
  list.Add("tls-private-key-file", "secureServing.tlsPrivateKeyFile", &options.tls_private_key_file,
           "PEM file with the private key of --tls-cert-file.");
  list.Add("tls-sni-cert-key", "secureServing.tlsSNICertKeys",
           cli::RepeatedValue{&options.tls_sni_cert_keys},
           "certificate,key or certificate,key:name,name: PEM files for clients that request one "
           "of these names, or without names one of those in the certificate. May be repeated.");
  list.Add("tls-min-version", "secureServing.tlsMinVersion", &options.tls_min_version,
           "Minimum TLS version: VersionTLS12 or VersionTLS13.");
  list.Add("tls-cipher-suites", "secureServing.tlsCipherSuites", &options.tls_cipher_suites,
           "IANA names of the cipher suites, preferred ones first; empty: the defaults.");
  list.BeginSection("Insecure serving");
  list.Add("metrics-port", "insecureServing.metricsPort", &options.metrics_port,
           "Plain HTTP port of /metrics, without authentication; 0: none.")
      .other_flags = {"metricsPort", "metricsport"};
  list.Add("healthz-port", "insecureServing.healthzPort", &options.healthz_port,
           "Plain HTTP port of the health checks, without authentication; 0: none.")
      .other_flags = {"healthzPort"};
  list.BeginSection("Debugging");
  list.Add("profiling", "generic.debugging.enableProfiling", &options.profiling,
           "Serve CPU and memory profiles below /debug/pprof/.");
  list.Add("contention-profiling", "generic.debugging.enableContentionProfiling",
           &options.contention_profiling, "Serve a profile of lock contention as well.");
}

void ListAuthenticationSettings(SettingList& list, AuthenticationOptions& options) {
  list.BeginSection("Authentication");
  list.Add("authentication-kubeconfig", "authentication.kubeconfig", &options.kubeconfig,
           "Kubeconfig of the API server that reviews bearer tokens; empty: that of the manager.");
  list.Add("authentication-skip-lookup", "authentication.skipLookup", &options.skip_lookup,
           "Do not look up the authorities of client certificates in the cluster.");
  list.Add("authentication-tolerate-lookup-failure", "authentication.tolerateLookupFailure",
           &options.tolerate_lookup_failure,
           "Start even if that lookup fails; client certificates then do not authenticate.");
  list.Add("authentication-token-webhook-cache-ttl", "authentication.tokenCacheTTL",
           &options.token_cache_ttl, "How long the review of a bearer token is cached.");
  list.Add("client-ca-file", "authentication.clientCAFile", &options.client_ca_file,
           "PEM file with the authorities of client certificates; the common name of such a "
           "certificate is the user name.");
  list.Add("requestheader-client-ca-file", "authentication.requestHeader.clientCAFile",
           &options.requestheader_client_ca_file,
           "PEM file with the authorities of proxies; a proxy with such a certificate may name the "
           "user in headers.");
  list.Add("requestheader-allowed-names", "authentication.requestHeader.allowedNames",
           &options.requestheader_allowed_names,
           "Common names of the allowed proxies; empty: all with such a certificate.");
  list.Add("requestheader-username-headers", "authentication.requestHeader.usernameHeaders",
           &options.requestheader_username_headers, "Headers with the name of the user.");
  list.Add("requestheader-uid-headers", "authentication.requestHeader.uidHeaders",
           &options.requestheader_uid_headers, "Headers with the UID of the user.");
  list.Add("requestheader-group-headers", "authentication.requestHeader.groupHeaders",
           &options.requestheader_group_headers, "Headers with the groups of the user.");
  list.Add("requestheader-extra-headers-prefix", "authentication.requestHeader.extraHeaderPrefixes",
           &options.requestheader_extra_headers_prefix,
           "Prefixes of the headers with extra attributes of the user.");
}

void ListAuthorizationSettings(SettingList& list, AuthorizationOptions& options) {
  list.BeginSection("Authorization");
  list.Add("authorization-kubeconfig", "authorization.kubeconfig", &options.kubeconfig,
           "Kubeconfig of the API server that reviews access; empty: that of the manager.");
  list.Add("authorization-always-allow-paths", "authorization.alwaysAllowPaths",
           &options.always_allow_paths,
           "Paths that are served without authorization; a trailing /* includes all paths below.");
  list.Add("authorization-webhook-cache-authorized-ttl", "authorization.cacheAuthorizedTTL",
           &options.authorized_ttl, "How long a review that allows access is cached.");
  list.Add("authorization-webhook-cache-unauthorized-ttl", "authorization.cacheUnauthorizedTTL",
           &options.unauthorized_ttl, "How long a review that denies access is cached.");
}

}  // namespace capstan::manager
