#include "base/tls/certificate.h"

#include <openssl/asn1.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>

#include <climits>
#include <utility>

#include <capstan/runtime/format.h>

namespace capstan::tls {
namespace {

constexpr long kSecondsADay = 24L * 60 * 60;

BioPtr ReadOnlyPem(std::string_view text) {
  return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

Status CheckPemSize(std::string_view pem) {
  if (pem.size() <= INT_MAX) return Status::Ok();
  return Status::InvalidArgument("too large");
}

// Without this callback OpenSSL would prompt on the terminal.
int NoPassPhrase(char*, int, int, void*) { return -1; }

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

bool FillCertificate(X509* certificate, EVP_PKEY* key, const std::string& host) {
  X509_NAME* name = X509_get_subject_name(certificate);
  const auto* common_name = reinterpret_cast<const unsigned char*>(host.c_str());
  // A common name is limited to 64 bytes. Clients verify the alternative names.
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

KeyPtr NewKey() {
  ERR_clear_error();
  return KeyPtr(EVP_EC_gen("P-256"));
}

Result<CertificatePem> NewSelfSignedCertificate(const std::string& host) {
  const KeyPtr key = NewKey();
  const X509Ptr certificate(X509_new());
  if (key && certificate && FillCertificate(certificate.get(), key.get(), host)) {
    CertificatePem pem{PemOf(*certificate), PemOf(*key)};
    if (!pem.certificate.empty() && !pem.key.empty()) return pem;
  }
  return Status::InvalidArgument("cannot create a self-signed certificate: " +
                                 TakeError("cannot be decoded"));
}

Result<std::vector<X509Ptr>> ParseCertificates(std::string_view pem) {
  if (Status status = CheckPemSize(pem); !status.ok()) return status;
  ERR_clear_error();
  const BioPtr bio = ReadOnlyPem(pem);
  std::vector<X509Ptr> certificates;
  while (X509* certificate = PEM_read_bio_X509(bio.get(), nullptr, NoPassPhrase, nullptr)) {
    certificates.emplace_back(certificate);
  }
  const unsigned long error = ERR_peek_last_error();
  const bool at_end =
      ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
  if (!at_end) {
    return Status::InvalidArgument(Format("certificate number {} cannot be decoded: {}",
                                          certificates.size() + 1, TakeFirstError("bad PEM")));
  }
  ERR_clear_error();
  if (certificates.empty()) return Status::InvalidArgument("contains no PEM certificate");
  return certificates;
}

Result<KeyPtr> ParsePrivateKey(std::string_view pem) {
  if (Status status = CheckPemSize(pem); !status.ok()) return status;
  ERR_clear_error();
  const BioPtr bio = ReadOnlyPem(pem);
  KeyPtr key(PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassPhrase, nullptr));
  ERR_clear_error();
  if (key) return key;
  if (pem.find("ENCRYPTED") != std::string_view::npos) {
    return Status::InvalidArgument("the private key is encrypted, which is not supported");
  }
  return Status::InvalidArgument("contains no PEM private key that can be decoded");
}

Status CheckKeyMatches(X509& certificate, EVP_PKEY& key) {
  ERR_clear_error();
  const bool matches = X509_check_private_key(&certificate, &key) == 1;
  ERR_clear_error();
  if (matches) return Status::Ok();
  return Status::InvalidArgument("the private key does not match the certificate");
}

X509Ptr CertificateFromDer(std::string_view der) {
  if (der.size() > LONG_MAX) return nullptr;
  ERR_clear_error();
  const auto* at = reinterpret_cast<const unsigned char*>(der.data());
  const unsigned char* const end = at + der.size();
  X509Ptr certificate(d2i_X509(nullptr, &at, static_cast<long>(der.size())));
  ERR_clear_error();
  return certificate && at == end ? std::move(certificate) : nullptr;
}

std::string DerOf(const X509& certificate) {
  ERR_clear_error();
  unsigned char* data = nullptr;
  const int size = i2d_X509(&certificate, &data);
  ERR_clear_error();
  if (size < 0) return {};
  std::string der(reinterpret_cast<const char*>(data), static_cast<size_t>(size));
  OPENSSL_free(data);
  return der;
}

std::string PemOf(const X509& certificate) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  if (!bio || PEM_write_bio_X509(bio.get(), &certificate) != 1) return {};
  return TextOf(*bio);
}

std::string PemOf(const EVP_PKEY& key) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  if (!bio ||
      PEM_write_bio_PKCS8PrivateKey(bio.get(), &key, nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return {};
  }
  return TextOf(*bio);
}

}  // namespace capstan::tls
