#pragma once

// ClientAuthority: certificates of clients, good and bad, for tests. They are valid around the time
// at which a SimulatedRuntime starts.

#include <memory>
#include <string>
#include <vector>

#include <capstan/runtime/clock.h>

namespace capstan::manager {

struct CertificateSpec {
  std::vector<std::string> common_names = {};
  std::vector<std::string> organizations = {};
  std::vector<std::string> uids = {};
  std::string extended_key_usage = "clientAuth";  // "" = none
  std::string basic_constraints = {};             // "" = none, "critical,CA:TRUE"
  Duration begins = -std::chrono::hours(1);       // from the start of the simulation
  Duration ends = std::chrono::hours(1);
  bool sha1 = false;
};

class ClientAuthority {
 public:
  // Signed by `parent`, or by itself.
  explicit ClientAuthority(const std::string& name, const ClientAuthority* parent = nullptr,
                           const std::string& basic_constraints = "critical,CA:TRUE");
  ~ClientAuthority();

  // A certificate in DER.
  std::string Issue(const CertificateSpec& spec) const;
  std::string Issue(const std::string& common_name) const {
    return Issue(CertificateSpec{.common_names = {common_name}});
  }
  std::string der() const;
  std::string pem() const;

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

// Signed by itself.
std::string SelfSigned(const std::string& common_name);
std::string PemOfDer(const std::string& der);

}  // namespace capstan::manager
