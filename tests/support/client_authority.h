#pragma once

// ClientAuthority: valid and invalid client certificates for tests. By default they are valid from
// one hour before the authority's time to one hour after it. The default time is the start time of
// a SimulatedRuntime.
//
// Not thread-safe.

#include <memory>
#include <string>
#include <vector>

#include <capstan/runtime/clock.h>

namespace capstan::testing {

struct CertificateSpec {
  std::vector<std::string> common_names = {};
  std::vector<std::string> organizations = {};
  std::vector<std::string> uids = {};
  std::string extended_key_usage = "clientAuth";  // "" = none
  std::string basic_constraints = {};             // "" = none, "critical,CA:TRUE"
  Duration begins = -std::chrono::hours(1);       // from the authority's time
  Duration ends = std::chrono::hours(1);
  bool sha1 = false;
};

struct IssuedCertificate {
  std::string der;
  std::string key_pem;
};

class ClientAuthority {
 public:
  static constexpr WallTime kSimulationStart{std::chrono::seconds(1'800'000'000)};

  // Signed by `parent`, or self-signed without one.
  explicit ClientAuthority(const std::string& name, const ClientAuthority* parent = nullptr,
                           const std::string& basic_constraints = "critical,CA:TRUE",
                           WallTime now = kSimulationStart);
  ~ClientAuthority();

  // Returns a DER certificate.
  std::string Issue(const CertificateSpec& spec) const { return IssueWithKey(spec).der; }
  IssuedCertificate IssueWithKey(const CertificateSpec& spec) const;
  std::string IssueTo(const std::string& common_name) const {
    return Issue(CertificateSpec{.common_names = {common_name}});
  }
  std::string der() const;
  std::string pem() const;

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

// A self-signed certificate.
std::string SelfSigned(const std::string& common_name);
std::string PemOfDer(const std::string& der);

}  // namespace capstan::testing
