#include "base/tls/sha256.h"

#include <openssl/evp.h>

#include <stdexcept>

namespace capstan::tls {

std::string Sha256(std::string_view text) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  // Fetched once: each use of EVP_sha256() looks it up again.
  static const EVP_MD* const kind = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  if (!kind || EVP_Digest(text.data(), text.size(), digest, &size, kind, nullptr) != 1) {
    throw std::runtime_error("OpenSSL has no SHA-256");
  }
  return {reinterpret_cast<const char*>(digest), size};
}

}  // namespace capstan::tls
