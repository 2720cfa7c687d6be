#include "tls/serving_certificate.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "base/text/ascii.h"
#include "base/tls/openssl_ptr.h"

namespace capstan::manager {
namespace {

void AddDnsName(std::vector<std::string>& names, const ASN1_STRING* text) {
  const auto* data = reinterpret_cast<const char*>(ASN1_STRING_get0_data(text));
  std::string name = text::Lower({data, static_cast<size_t>(ASN1_STRING_length(text))});
  in6_addr address{};
  if (name.empty() || name.find('\0') != std::string::npos) return;
  if (inet_pton(AF_INET, name.c_str(), &address) == 1) return;
  if (inet_pton(AF_INET6, name.c_str(), &address) == 1) return;
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
}

}  // namespace

Result<ServingCertificatePtr> ServingCertificate::FromPem(const tls::CertificatePem& pem,
                                                          const Titles& titles) {
  auto chain = tls::ParseCertificates(pem.certificate);
  if (!chain) return chain.status().WithContext(titles.certificate);
  auto key = tls::ParsePrivateKey(pem.key);
  if (!key) return key.status().WithContext(titles.key);
  if (!tls::CheckKeyMatches(*chain->front(), **key).ok()) {
    return Status::InvalidArgument(titles.key + " does not match " + titles.certificate);
  }
  auto made = std::make_shared<ServingCertificate>();
  made->leaf_ = std::move(chain->front());
  for (size_t i = 1; i < chain->size(); ++i) made->issuers_.emplace_back(std::move((*chain)[i]));
  made->key_ = *std::move(key);
  // Certificates that TLS would reject at each handshake, such as one with a short key, are
  // rejected here.
  ERR_clear_error();
  const tls::ContextPtr context(SSL_CTX_new(TLS_server_method()));
  const tls::SessionPtr trial(context ? SSL_new(context.get()) : nullptr);
  if (!trial || !made->Use(trial.get())) {
    return Status::InvalidArgument(titles.certificate + ": " + tls::TakeError("cannot be decoded"));
  }
  return ServingCertificatePtr(std::move(made));
}

bool ServingCertificate::Use(SSL* session) const {
  STACK_OF(X509)* const issuers = sk_X509_new_null();
  for (const auto& issuer : issuers_) sk_X509_push(issuers, issuer.get());
  const bool used = SSL_use_cert_and_key(session, leaf_.get(), key_.get(), issuers, 1) == 1;
  sk_X509_free(issuers);
  return used;
}

bool ServingCertificate::IsFor(const std::string& host) const {
  return X509_check_host(leaf_.get(), host.data(), host.size(), 0, nullptr) == 1;
}

bool ServingCertificate::IsValidFor(Duration from_now) const {
  std::time_t then =
      std::time(nullptr) + std::chrono::duration_cast<std::chrono::seconds>(from_now).count();
  return X509_cmp_time(X509_get0_notAfter(leaf_.get()), &then) > 0;
}

std::vector<std::string> ServingCertificate::Names() const {
  std::vector<std::string> names;
  X509_NAME* const subject = X509_get_subject_name(leaf_.get());
  const int common_name = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (common_name >= 0) {
    AddDnsName(names, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, common_name)));
  }
  const tls::NamesPtr alternatives(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(leaf_.get(), NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; i < sk_GENERAL_NAME_num(alternatives.get()); ++i) {
    const GENERAL_NAME* const name = sk_GENERAL_NAME_value(alternatives.get(), i);
    if (name->type == GEN_DNS) AddDnsName(names, name->d.dNSName);
  }
  return names;
}

}  // namespace capstan::manager
