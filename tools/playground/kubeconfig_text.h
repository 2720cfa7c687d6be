#pragma once

#include <string>

namespace capstan::playground {

struct KubeconfigParts {
  std::string server;       ///< "https://127.0.0.1:6443"
  std::string certificate;  ///< PEM
  std::string server_name;  ///< a name that the certificate has, when the address is none of them
  std::string token;
};

/// A kubeconfig with one cluster, one user and the context "capstan-playground".
std::string KubeconfigText(const KubeconfigParts& parts);

}  // namespace capstan::playground
