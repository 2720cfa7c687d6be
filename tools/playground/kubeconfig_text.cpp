#include "playground/kubeconfig_text.h"

#include "base/text/base64.h"

namespace capstan::playground {

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
      text::EncodeBase64(parts.certificate) + "\n";
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
