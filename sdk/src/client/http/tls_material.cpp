#include "client/http/tls_material.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <climits>
#include <utility>

#include <capstan/runtime/format.h>

namespace capstan::client {
namespace {

BioPtr ReadOnly(std::string_view text) {
  return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

Status CheckSize(std::string_view pem) {
  if (pem.size() <= INT_MAX) return Status::Ok();
  return Status::InvalidArgument("too large");
}

// Without it OpenSSL would ask at the terminal.
int NoPassPhrase(char*, int, int, void*) { return -1; }

}  // namespace

std::string TakeOpenSslError(std::string_view fallback) {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* const reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason ? reason : std::string(fallback);
}

Result<std::vector<X509Ptr>> ParseCertificates(std::string_view pem) {
  if (Status status = CheckSize(pem); !status.ok()) return status;
  ERR_clear_error();
  const BioPtr bio = ReadOnly(pem);
  std::vector<X509Ptr> certificates;
  while (X509* certificate = PEM_read_bio_X509(bio.get(), nullptr, NoPassPhrase, nullptr)) {
    certificates.emplace_back(certificate);
  }
  const unsigned long error = ERR_peek_last_error();
  const bool at_end =
      ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
  if (!at_end) {
    return Status::InvalidArgument(Format("certificate number {} does not decode: {}",
                                          certificates.size() + 1, TakeOpenSslError("bad PEM")));
  }
  ERR_clear_error();
  if (certificates.empty()) return Status::InvalidArgument("holds no PEM certificate");
  return certificates;
}

Result<KeyPtr> ParsePrivateKey(std::string_view pem) {
  if (Status status = CheckSize(pem); !status.ok()) return status;
  ERR_clear_error();
  const BioPtr bio = ReadOnly(pem);
  KeyPtr key(PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassPhrase, nullptr));
  ERR_clear_error();
  if (key) return key;
  if (pem.find("ENCRYPTED") != std::string_view::npos) {
    return Status::InvalidArgument("the private key is encrypted, which is not supported");
  }
  return Status::InvalidArgument("holds no PEM private key that decodes");
}

Status CheckKeyMatches(X509& certificate, EVP_PKEY& key) {
  ERR_clear_error();
  const bool matches = X509_check_private_key(&certificate, &key) == 1;
  ERR_clear_error();
  if (matches) return Status::Ok();
  return Status::InvalidArgument("the private key does not belong to the certificate");
}

}  // namespace capstan::client
