#include "client_authority.h"

#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <chrono>

#include "base/tls/certificate.h"

namespace capstan::testing {
namespace {

constexpr char kUidOid[] = "1.3.6.1.4.1.57683.2";

void AddToSubject(X509& certificate, const char* attribute,
                  const std::vector<std::string>& values) {
  for (const std::string& value : values) {
    X509_NAME_add_entry_by_txt(X509_get_subject_name(&certificate), attribute, MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char*>(value.data()),
                               static_cast<int>(value.size()), -1, 0);
  }
}

void AddTestExtension(X509& certificate, X509& issuer, int id, const std::string& value) {
  if (value.empty()) return;
  X509V3_CTX context;
  X509V3_set_ctx(&context, &issuer, &certificate, nullptr, nullptr, 0);
  const tls::ExtensionPtr extension(X509V3_EXT_conf_nid(nullptr, &context, id, value.c_str()));
  X509_add_ext(&certificate, extension.get(), -1);
}

tls::X509Ptr NewTestCertificate(const CertificateSpec& spec, EVP_PKEY& key, WallTime now) {
  static long serial = 1;
  tls::X509Ptr certificate(X509_new());
  const auto seconds = [now](Duration from_now) {
    return std::chrono::duration_cast<std::chrono::seconds>((now + from_now).time_since_epoch())
        .count();
  };
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial++);
  ASN1_TIME_set(X509_getm_notBefore(certificate.get()), seconds(spec.begins));
  ASN1_TIME_set(X509_getm_notAfter(certificate.get()), seconds(spec.ends));
  X509_set_pubkey(certificate.get(), &key);
  AddToSubject(*certificate, "O", spec.organizations);
  AddToSubject(*certificate, "CN", spec.common_names);
  AddToSubject(*certificate, kUidOid, spec.uids);
  return certificate;
}

void Sign(X509& certificate, X509& issuer, EVP_PKEY& key, const CertificateSpec& spec) {
  X509_set_issuer_name(&certificate, X509_get_subject_name(&issuer));
  AddTestExtension(certificate, issuer, NID_basic_constraints, spec.basic_constraints);
  AddTestExtension(certificate, issuer, NID_ext_key_usage, spec.extended_key_usage);
  X509_sign(&certificate, &key, spec.sha1 ? EVP_sha1() : EVP_sha256());
}

}  // namespace

struct ClientAuthority::Impl {
  tls::KeyPtr key{tls::NewKey()};
  tls::X509Ptr certificate;
  WallTime now;
};

ClientAuthority::ClientAuthority(const std::string& name, const ClientAuthority* parent,
                                 const std::string& basic_constraints, WallTime now)
    : impl_(std::make_unique<Impl>()) {
  impl_->now = now;
  const CertificateSpec spec{.common_names = {name},
                             .extended_key_usage = {},
                             .basic_constraints = basic_constraints,
                             .begins = -std::chrono::hours(24),
                             .ends = std::chrono::hours(24)};
  impl_->certificate = NewTestCertificate(spec, *impl_->key, now);
  const Impl& signer = parent ? *parent->impl_ : *impl_;
  Sign(*impl_->certificate, *signer.certificate, *signer.key, spec);
}

ClientAuthority::~ClientAuthority() = default;

IssuedCertificate ClientAuthority::IssueWithKey(const CertificateSpec& spec) const {
  const tls::KeyPtr key(tls::NewKey());
  const tls::X509Ptr certificate = NewTestCertificate(spec, *key, impl_->now);
  Sign(*certificate, *impl_->certificate, *impl_->key, spec);
  return {tls::DerOf(*certificate), tls::PemOf(*key)};
}

std::string ClientAuthority::der() const { return tls::DerOf(*impl_->certificate); }
std::string ClientAuthority::pem() const { return PemOfDer(der()); }

std::string SelfSigned(const std::string& common_name) {
  return ClientAuthority(common_name, nullptr, "").der();
}

std::string PemOfDer(const std::string& der) {
  const tls::BioPtr bio(BIO_new(BIO_s_mem()));
  PEM_write_bio(bio.get(), "CERTIFICATE", "", reinterpret_cast<const unsigned char*>(der.data()),
                static_cast<long>(der.size()));
  return tls::TextOf(*bio);
}

}  // namespace capstan::testing
