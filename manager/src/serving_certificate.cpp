#include "serving_certificate.h"

#include <openssl/asn1.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>

namespace capstan::manager {
namespace {

constexpr long kSecondsADay = 24L * 60 * 60;

template <class T, void (*kFree)(T*)>
struct Freeing {
  void operator()(T* object) const { kFree(object); }
};
using KeyPtr = std::unique_ptr<EVP_PKEY, Freeing<EVP_PKEY, EVP_PKEY_free>>;
using CertificatePtr = std::unique_ptr<X509, Freeing<X509, X509_free>>;
using ExtensionPtr = std::unique_ptr<X509_EXTENSION, Freeing<X509_EXTENSION, X509_EXTENSION_free>>;

/// What OpenSSL says last; its queue is emptied.
std::string OpenSslError() {
  char text[256] = "unknown";
  if (const unsigned long code = ERR_peek_last_error(); code != 0) {
    ERR_error_string_n(code, text, sizeof(text));
  }
  ERR_clear_error();
  return text;
}

Status Failure(const std::string& what) {
  return Status::InvalidArgument(what + ": " + OpenSslError());
}

bool AddExtension(X509* certificate, int id, const std::string& value) {
  const ExtensionPtr extension(X509V3_EXT_conf_nid(nullptr, nullptr, id, value.c_str()));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool SetSerial(X509* certificate) {
  unsigned char bytes[8];
  if (RAND_bytes(bytes, sizeof(bytes)) != 1) return false;
  uint64_t serial = 0;
  for (unsigned char byte : bytes) serial = serial << 8 | byte;
  return ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial >> 1 | 1) == 1;
}

bool Fill(X509* certificate, EVP_PKEY* key, const std::string& host) {
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

}  // namespace

Poco::Net::Context::Ptr NewServerContext() {
  Poco::Net::Context::Params params;
  params.verificationMode = Poco::Net::Context::VERIFY_NONE;
  params.cipherList = "ECDHE+AESGCM:ECDHE+CHACHA20";
  Poco::Net::Context::Ptr context(
      new Poco::Net::Context(Poco::Net::Context::TLS_SERVER_USE, params));
  context->requireMinimumProtocol(Poco::Net::Context::PROTO_TLSV1_2);
  return context;
}

Status UseSelfSignedCertificate(ssl_ctx_st* context, const std::string& host) {
  ERR_clear_error();
  const KeyPtr key(EVP_EC_gen("P-256"));
  const CertificatePtr certificate(X509_new());
  if (!key || !certificate || !Fill(certificate.get(), key.get(), host)) {
    return Failure("can not make a self-signed certificate");
  }
  if (SSL_CTX_use_certificate(context, certificate.get()) != 1 ||
      SSL_CTX_use_PrivateKey(context, key.get()) != 1) {
    return Failure("can not use the self-signed certificate");
  }
  return Status::Ok();
}

Status UseCertificateFiles(ssl_ctx_st* context, const std::string& certificate,
                           const std::string& key) {
  ERR_clear_error();
  if (SSL_CTX_use_certificate_chain_file(context, certificate.c_str()) != 1) {
    return Failure("--tls-cert-file " + certificate);
  }
  if (SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) != 1) {
    return Failure("--tls-private-key-file " + key);
  }
  if (SSL_CTX_check_private_key(context) != 1) {
    return Failure("--tls-private-key-file " + key + " does not belong to --tls-cert-file " +
                   certificate);
  }
  return Status::Ok();
}

}  // namespace capstan::manager
