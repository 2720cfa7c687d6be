#include "tls/serving_tls.h"

#include <openssl/ssl.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include <capstan/log/log.h>
#include <capstan/runtime/format.h>

#include "base/http/server_stream.h"
#include "base/tls/server_context.h"
#include "tls/serving_certificates.h"

namespace capstan::manager {
namespace {

struct CipherSuite {
  std::string_view iana;
  const char* openssl;
};

/// The suites below TLS 1.3 that Go considers secure, with two old names.
constexpr CipherSuite kSecureSuites[] = {
    {"TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", "ECDHE-ECDSA-AES128-SHA"},
    {"TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256"},
    {"TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", "ECDHE-ECDSA-AES256-SHA"},
    {"TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "ECDHE-ECDSA-AES256-GCM-SHA384"},
    {"TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305", "ECDHE-ECDSA-CHACHA20-POLY1305"},
    {"TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"},
    {"TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", "ECDHE-RSA-AES128-SHA"},
    {"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "ECDHE-RSA-AES128-GCM-SHA256"},
    {"TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", "ECDHE-RSA-AES256-SHA"},
    {"TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "ECDHE-RSA-AES256-GCM-SHA384"},
    {"TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305", "ECDHE-RSA-CHACHA20-POLY1305"},
    {"TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-RSA-CHACHA20-POLY1305"},
};

/// kube-controller-manager accepts these suites too but calls them insecure.
constexpr std::string_view kInsecureSuites[] = {
    "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256",
    "TLS_ECDHE_ECDSA_WITH_RC4_128_SHA",
    "TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA",
    "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256",
    "TLS_ECDHE_RSA_WITH_RC4_128_SHA",
    "TLS_RSA_WITH_3DES_EDE_CBC_SHA",
    "TLS_RSA_WITH_AES_128_CBC_SHA",
    "TLS_RSA_WITH_AES_128_CBC_SHA256",
    "TLS_RSA_WITH_AES_128_GCM_SHA256",
    "TLS_RSA_WITH_AES_256_CBC_SHA",
    "TLS_RSA_WITH_AES_256_GCM_SHA384",
    "TLS_RSA_WITH_RC4_128_SHA",
};

constexpr std::string_view kTls13Suites[] = {
    "TLS_AES_128_GCM_SHA256",
    "TLS_AES_256_GCM_SHA384",
    "TLS_CHACHA20_POLY1305_SHA256",
};

template <class List>
bool IsAmongSuites(const List& list, std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

Result<int> MinVersion(const std::string& name) {
  if (name.empty() || name == "VersionTLS12") return TLS1_2_VERSION;
  if (name == "VersionTLS13") return TLS1_3_VERSION;
  if (name == "VersionTLS10" || name == "VersionTLS11") {
    return Status::InvalidArgument(
        Format("--tls-min-version {}: TLS before 1.2 is not supported", name));
  }
  return Status::InvalidArgument(Format(
      "--tls-min-version {}: unknown, the versions are VersionTLS12 and VersionTLS13", name));
}

/// Converts `names` to OpenSSL's syntax. TLS 1.3 suites cannot be selected and are skipped. Returns
/// "" if no suite is left.
Result<std::string> CipherList(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) {
    if (IsAmongSuites(kTls13Suites, name)) {
      LogInfo("The cipher suites of TLS 1.3 cannot be chosen", {{"ignored", name}});
      continue;
    }
    const auto* const found =
        std::find_if(std::begin(kSecureSuites), std::end(kSecureSuites),
                     [&](const CipherSuite& suite) { return suite.iana == name; });
    if (found == std::end(kSecureSuites)) {
      return Status::InvalidArgument(Format(
          "--tls-cipher-suites {}: {}", name,
          IsAmongSuites(kInsecureSuites, name) ? "this suite is insecure" : "no such suite"));
    }
    list += (list.empty() ? "" : ":") + std::string(found->openssl);
  }
  return list;
}

int AcceptAnyChain(X509_STORE_CTX* chain, void*) {
  X509_STORE_CTX_set_error(chain, X509_V_OK);
  return 1;
}

int ShowCertificate(SSL* session, void* certificates) {
  const char* const name = SSL_get_servername(session, TLSEXT_NAMETYPE_host_name);
  const auto& all = *static_cast<const ServingCertificates*>(certificates);
  return all.For(name ? name : "", http::TlsStream::Of(session).local_address()).Use(session) ? 1
                                                                                              : 0;
}

}  // namespace

Result<std::shared_ptr<SSL_CTX>> NewServingContext(const std::string& min_version,
                                                   const std::vector<std::string>& cipher_suites,
                                                   const ServingCertificates& certificates) {
  auto version = MinVersion(min_version);
  if (!version) return version.status();
  auto ciphers = CipherList(cipher_suites);
  if (!ciphers) return ciphers.status();
  if (cipher_suites.empty()) ciphers = std::string(tls::kDefaultCiphers);
  // If only TLS 1.3 suites are configured, older versions cannot be negotiated.
  if (ciphers->empty()) version = TLS1_3_VERSION;
  auto context = tls::NewServerContext(*version, *ciphers);
  if (!context) return context;
  SSL_CTX* const raw = context->get();
  SSL_CTX_set_verify(raw, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_cert_verify_callback(raw, AcceptAnyChain, nullptr);
  SSL_CTX_set_cert_cb(raw, ShowCertificate, const_cast<ServingCertificates*>(&certificates));
  return context;
}

}  // namespace capstan::manager
