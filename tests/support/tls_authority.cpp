#include "tls_authority.h"

#include <openssl/x509v3.h>

#include <atomic>

#include "base/tls/certificate.h"

namespace capstan {
namespace {

using tls::ExtensionPtr;
using tls::KeyPtr;
using tls::PemOf;
using tls::X509Ptr;

void AddExtension(X509& certificate, X509& issuer, int id, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, &issuer, &certificate, nullptr, nullptr, 0);
  const ExtensionPtr extension(X509V3_EXT_conf_nid(nullptr, &context, id, value.c_str()));
  X509_add_ext(&certificate, extension.get(), -1);
}

X509Ptr NewCertificate(const std::string& common_name, EVP_PKEY& key) {
  static std::atomic<long> serial = 1;
  X509Ptr certificate(X509_new());
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial++);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_set_pubkey(certificate.get(), &key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(common_name.c_str()), -1, -1,
                             0);
  return certificate;
}

}  // namespace

Authority::Authority(const std::string& name)
    : key_(tls::NewKey()), certificate_(NewCertificate(name, *key_)) {
  X509_set_issuer_name(certificate_.get(), X509_get_subject_name(certificate_.get()));
  AddExtension(*certificate_, *certificate_, NID_basic_constraints, "critical,CA:TRUE");
  AddExtension(*certificate_, *certificate_, NID_subject_key_identifier, "hash");
  X509_sign(certificate_.get(), key_.get(), EVP_sha256());
  self_ = {PemOf(*certificate_), PemOf(*key_)};
}

Identity Authority::Issue(const std::string& common_name,
                          const std::vector<std::string>& names) const {
  const KeyPtr key = tls::NewKey();
  const X509Ptr certificate = NewCertificate(common_name, *key);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(certificate_.get()));
  AddExtension(*certificate, *certificate_, NID_ext_key_usage,
               names.empty() ? "clientAuth" : "serverAuth");
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ",") + name;
  if (!list.empty()) AddExtension(*certificate, *certificate_, NID_subject_alt_name, list);
  X509_sign(certificate.get(), key_.get(), EVP_sha256());
  return {PemOf(*certificate), PemOf(*key)};
}

}  // namespace capstan
