#include "tls/serving_certificate.h"

#include <arpa/inet.h>
#include <openssl/asn1.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <climits>
#include <ctime>
#include <utility>

#include "base/text/ascii.h"
#include "base/tls/openssl_ptr.h"

namespace capstan::manager {
namespace {

constexpr long kSecondsADay = 24L * 60 * 60;

bool AddExtension(X509* certificate, int id, const std::string& value) {
  const tls::ExtensionPtr extension(X509V3_EXT_conf_nid(nullptr, nullptr, id, value.c_str()));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool SetSerial(X509* certificate) {
  unsigned char bytes[8];
  if (RAND_bytes(bytes, sizeof(bytes)) != 1) return false;
  uint64_t serial = 0;
  for (unsigned char byte : bytes) serial = serial << 8 | byte;
  return ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial >> 1 | 1) == 1;
}

bool FillCertificate(X509* certificate, EVP_PKEY* key, const std::string& host) {
  X509_NAME* name = X509_get_subject_name(certificate);
  const auto* common_name = reinterpret_cast<const unsigned char*>(host.c_str());
  // A common name holds 64 bytes; who checks names looks at the alternative names anyway.
  const int length = static_cast<int>(host.size() > 64 ? 64 : host.size());
  return X509_set_version(certificate, X509_VERSION_3) == 1 && SetSerial(certificate) &&
         X509_gmtime_adj(X509_getm_notBefore(certificate), -kSecondsADay) != nullptr &&
         X509_gmtime_adj(X509_getm_notAfter(certificate), 365 * kSecondsADay) != nullptr &&
         X509_NAME_add_entry_by_NID(name, NID_commonName, MBSTRING_UTF8, common_name, length, -1,
                                    0) == 1 &&
         X509_set_issuer_name(certificate, name) == 1 && X509_set_pubkey(certificate, key) == 1 &&
         AddExtension(certificate, NID_subject_alt_name,
                      "DNS:" + host + ",DNS:localhost,IP:127.0.0.1,IP:::1") &&
         AddExtension(certificate, NID_ext_key_usage, "serverAuth") &&
         X509_sign(certificate, key, EVP_sha256()) > 0;
}

tls::BioPtr ReadingPem(const std::string& pem) {
  const size_t size = std::min<size_t>(pem.size(), INT_MAX);
  return tls::BioPtr(BIO_new_mem_buf(pem.data(), static_cast<int>(size)));
}

std::string WrittenPem(BIO* memory) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(memory, &data);
  return {data, static_cast<size_t>(size)};
}

// Without it OpenSSL would ask at the terminal.
int NoPassPhrase(char*, int, int, void*) { return -1; }

/// The certificates, in order; empty, with an error on OpenSSL's queue, when one does not decode.
std::vector<std::shared_ptr<X509>> ReadChain(const std::string& pem) {
  std::vector<std::shared_ptr<X509>> chain;
  const tls::BioPtr bio = ReadingPem(pem);
  while (X509* next = PEM_read_bio_X509(bio.get(), nullptr, NoPassPhrase, nullptr)) {
    chain.emplace_back(next, X509_free);
  }
  const unsigned long error = ERR_peek_last_error();
  const bool at_end =
      ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
  if (!at_end) return {};
  if (!chain.empty()) ERR_clear_error();
  return chain;
}

Status BadPart(const std::string& title) {
  return Status::InvalidArgument(title + ": " + tls::TakeError("does not decode"));
}

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

Result<CertificatePem> NewSelfSignedCertificate(const std::string& host) {
  ERR_clear_error();
  const tls::KeyPtr key(EVP_EC_gen("P-256"));
  const tls::X509Ptr certificate(X509_new());
  const tls::BioPtr certificate_pem(BIO_new(BIO_s_mem()));
  const tls::BioPtr key_pem(BIO_new(BIO_s_mem()));
  if (!key || !certificate || !FillCertificate(certificate.get(), key.get(), host) ||
      PEM_write_bio_X509(certificate_pem.get(), certificate.get()) != 1 ||
      PEM_write_bio_PrivateKey(key_pem.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) !=
          1) {
    return BadPart("cannot make a self-signed certificate");
  }
  return CertificatePem{WrittenPem(certificate_pem.get()), WrittenPem(key_pem.get())};
}

Result<ServingCertificatePtr> ServingCertificate::FromPem(const CertificatePem& pem,
                                                          const Titles& titles) {
  ERR_clear_error();
  std::vector<std::shared_ptr<X509>> chain = ReadChain(pem.certificate);
  if (chain.empty()) return BadPart(titles.certificate);
  auto made = std::make_shared<ServingCertificate>();
  made->leaf_ = chain.front();
  made->issuers_.assign(chain.begin() + 1, chain.end());
  ERR_clear_error();
  made->key_ = {PEM_read_bio_PrivateKey(ReadingPem(pem.key).get(), nullptr, NoPassPhrase, nullptr),
                EVP_PKEY_free};
  if (!made->key_) return BadPart(titles.key);
  if (X509_check_private_key(made->leaf_.get(), made->key_.get()) != 1) {
    ERR_clear_error();
    return Status::InvalidArgument(titles.key + " does not belong to " + titles.certificate);
  }
  // What TLS would refuse at each handshake, such as a key that is too short, is refused here.
  const tls::ContextPtr context(SSL_CTX_new(TLS_server_method()));
  const tls::SessionPtr trial(context ? SSL_new(context.get()) : nullptr);
  if (!trial || !made->Use(trial.get())) return BadPart(titles.certificate);
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
  auto* const alternatives = static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(leaf_.get(), NID_subject_alt_name, nullptr, nullptr));
  for (int i = 0; i < sk_GENERAL_NAME_num(alternatives); ++i) {
    const GENERAL_NAME* const name = sk_GENERAL_NAME_value(alternatives, i);
    if (name->type == GEN_DNS) AddDnsName(names, name->d.dNSName);
  }
  GENERAL_NAMES_free(alternatives);
  return names;
}

}  // namespace capstan::manager
