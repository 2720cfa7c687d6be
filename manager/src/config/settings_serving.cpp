#include "config/settings.h"

namespace capstan::manager {

void ListServingSettings(SettingList& list, ServingOptions& options) {
  list.BeginSection("Secure serving");
  list.Add("bind-address", "secureServing.bindAddress", &options.bind_address,
           "IP address on which the ports listen; empty: on all.");
  list.Add("secure-port", "secureServing.securePort", &options.secure_port,
           "HTTPS port of the health checks, the metrics and the other pages; 0: none.");
  list.Add("cert-dir", "secureServing.certDir", &options.cert_dir,
           "Directory that keeps the self-signed certificate from one start to the next; empty: "
           "it is made anew at each start.");
  list.Add("tls-cert-file", "secureServing.tlsCertFile", &options.tls_cert_file,
           "PEM file with the certificate to serve with, and those that sign it. Without "
           "it a self-signed certificate is made at start. Read again when it changes.");
  list.Add("tls-private-key-file", "secureServing.tlsPrivateKeyFile", &options.tls_private_key_file,
           "PEM file with the private key that belongs to --tls-cert-file.");
  list.Add("tls-sni-cert-key", "secureServing.tlsSNICertKeys",
           cli::RepeatedValue{&options.tls_sni_cert_keys},
           "certificate,key or certificate,key:name,name: PEM files for clients that ask for one "
           "of these names, or without names for those in the certificate. May be repeated.");
  list.Add("tls-min-version", "secureServing.tlsMinVersion", &options.tls_min_version,
           "Lowest version of TLS: VersionTLS12 or VersionTLS13.");
  list.Add("tls-cipher-suites", "secureServing.tlsCipherSuites", &options.tls_cipher_suites,
           "Cipher suites by their IANA names, the preferred first; empty: a good choice.");
  list.BeginSection("Insecure serving");
  list.Add("metrics-port", "insecureServing.metricsPort", &options.metrics_port,
           "Plain HTTP port of /metrics, for everybody who reaches it; 0: none.")
      .other_flags = {"metricsPort", "metricsport"};
  list.Add("healthz-port", "insecureServing.healthzPort", &options.healthz_port,
           "Plain HTTP port of the health checks, for everybody who reaches it; 0: none.")
      .other_flags = {"healthzPort"};
  list.BeginSection("Debugging");
  list.Add("profiling", "generic.debugging.enableProfiling", &options.profiling,
           "Serve profiles of processor and memory below /debug/pprof/.");
  list.Add("contention-profiling", "generic.debugging.enableContentionProfiling",
           &options.contention_profiling, "Serve a profile of waits for locks as well.");
}

void ListAuthenticationSettings(SettingList& list, AuthenticationOptions& options) {
  list.BeginSection("Authentication");
  list.Add("authentication-kubeconfig", "authentication.kubeconfig", &options.kubeconfig,
           "Kubeconfig of the API server that is asked whose a bearer token is; empty: that of "
           "the manager.");
  list.Add("authentication-skip-lookup", "authentication.skipLookup", &options.skip_lookup,
           "Do not look the authorities of client certificates up in the cluster.");
  list.Add("authentication-tolerate-lookup-failure", "authentication.tolerateLookupFailure",
           &options.tolerate_lookup_failure,
           "Start even when that look-up fails; client certificates then prove nothing.");
  list.Add("authentication-token-webhook-cache-ttl", "authentication.tokenCacheTTL",
           &options.token_cache_ttl, "How long the answer about a bearer token is kept.");
  list.Add("client-ca-file", "authentication.clientCAFile", &options.client_ca_file,
           "PEM file with the authorities of client certificates; the common name of a "
           "certificate that one of them signed is the user.");
  list.Add("requestheader-client-ca-file", "authentication.requestHeader.clientCAFile",
           &options.requestheader_client_ca_file,
           "PEM file with the authorities of proxies: who has a certificate of theirs may name "
           "the user in headers.");
  list.Add("requestheader-allowed-names", "authentication.requestHeader.allowedNames",
           &options.requestheader_allowed_names,
           "Common names of the proxies that may; empty: all with such a certificate.");
  list.Add("requestheader-username-headers", "authentication.requestHeader.usernameHeaders",
           &options.requestheader_username_headers, "Headers that may name the user.");
  list.Add("requestheader-uid-headers", "authentication.requestHeader.uidHeaders",
           &options.requestheader_uid_headers, "Headers that may hold the user's UID.");
  list.Add("requestheader-group-headers", "authentication.requestHeader.groupHeaders",
           &options.requestheader_group_headers, "Headers that name groups of the user.");
  list.Add("requestheader-extra-headers-prefix", "authentication.requestHeader.extraHeaderPrefixes",
           &options.requestheader_extra_headers_prefix,
           "Beginnings of the names of headers with more about the user.");
}

void ListAuthorizationSettings(SettingList& list, AuthorizationOptions& options) {
  list.BeginSection("Authorization");
  list.Add("authorization-kubeconfig", "authorization.kubeconfig", &options.kubeconfig,
           "Kubeconfig of the API server that is asked who may do what; empty: that of the "
           "manager.");
  list.Add("authorization-always-allow-paths", "authorization.alwaysAllowPaths",
           &options.always_allow_paths,
           "Paths that everybody may read; one that ends in /* stands for all below it.");
  list.Add("authorization-webhook-cache-authorized-ttl", "authorization.cacheAuthorizedTTL",
           &options.authorized_ttl, "How long it is remembered that somebody may.");
  list.Add("authorization-webhook-cache-unauthorized-ttl", "authorization.cacheUnauthorizedTTL",
           &options.unauthorized_ttl, "How long it is remembered that somebody may not.");
}

}  // namespace capstan::manager
