#include "playground/kubeconfig_text.h"

#include <openssl/evp.h>

namespace capstan::playground {
namespace {

std::string Base64(const std::string& bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');  // OpenSSL ends it with a NUL
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                   reinterpret_cast<const unsigned char*>(bytes.data()),
                                   static_cast<int>(bytes.size()));
  text.resize(static_cast<size_t>(size));
  return text;
}

}  // namespace

std::string KubeconfigText(const KubeconfigParts& parts) {
  std::string text =
      "apiVersion: v1\n"
      "kind: Config\n"
      "clusters:\n"
      "- name: capstan-playground\n"
      "  cluster:\n"
      "    server: " +
      parts.server +
      "\n"
      "    certificate-authority-data: " +
      Base64(parts.certificate) + "\n";
  if (!parts.server_name.empty()) text += "    tls-server-name: " + parts.server_name + "\n";
  text +=
      "users:\n"
      "- name: capstan-playground\n"
      "  user:\n"
      "    token: " +
      parts.token +
      "\n"
      "contexts:\n"
      "- name: capstan-playground\n"
      "  context:\n"
      "    cluster: capstan-playground\n"
      "    user: capstan-playground\n"
      "current-context: capstan-playground\n";
  return text;
}

}  // namespace capstan::playground
