#pragma once

#include <string>
#include <vector>

#include "base/tls/openssl_ptr.h"

namespace capstan {

// A certificate and its key in PEM.
struct Identity {
  std::string cert_pem, key_pem;
};

// A certificate authority for one test.
class Authority {
 public:
  explicit Authority(const std::string& name);

  // `names` are e.g. "DNS:example.test" or "IP:127.0.0.1". Without names it is a client
  // certificate.
  Identity Issue(const std::string& common_name, const std::vector<std::string>& names) const;
  const std::string& pem() const { return self_.cert_pem; }

 private:
  tls::KeyPtr key_;
  tls::X509Ptr certificate_;
  Identity self_;
};

}  // namespace capstan
