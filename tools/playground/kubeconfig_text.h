#pragma once

#include <string>

namespace capstan::playground {

struct KubeconfigParts {
  std::string server;       ///< "https://127.0.0.1:6443"
  std::string certificate;  ///< PEM
  std::string server_name;  ///< a name in the certificate, if it does not contain the address
  std::string token;
};

/// Returns a kubeconfig with one cluster, one user and the context "capstan-playground".
std::string KubeconfigText(const KubeconfigParts& parts);

}  // namespace capstan::playground
