#pragma once

/// ClientCa: the certificate authorities that may sign client certificates.
///
/// A certificate is accepted when its chain leads to one of the authorities and every certificate
/// of the chain is valid now. Its extended key usages, if it has any, must include clientAuth. Each
/// authority is trusted as it is, whoever signed it. Chains and signatures that Go's crypto/x509
/// rejects are rejected here too. Revocation lists are not supported, as in Kubernetes.
/// https://kubernetes.io/docs/reference/access-authn-authz/authentication/#x509-client-certificates
///
/// Threads: immutable, so all methods may be called from any thread.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/runtime/clock.h>
#include <capstan/runtime/status.h>

namespace capstan::manager {

/// The subject of a verified certificate.
struct ClientCertificate {
  std::string common_name;                 ///< "" if it has none
  std::vector<std::string> organizations;  ///< in the order of the certificate
  std::string uid;                         ///< the attribute 1.3.6.1.4.1.57683.2, or ""
  std::string sha256;                      ///< of the certificate, in hexadecimal
};

class ClientCa {
 public:
  /// Parses the certificates of a PEM bundle and skips other blocks. Returns InvalidArgument if
  /// there is no certificate, or if one does not decode.
  static Result<std::shared_ptr<const ClientCa>> Parse(std::string_view pem);
  ~ClientCa();

  /// `chain` is in DER, the client's own certificate first. Unauthorized names the reason for the
  /// rejection.
  Result<ClientCertificate> Verify(const std::vector<std::string>& chain, WallTime now) const;
  /// Whether both contain the same authority.
  bool Overlaps(const ClientCa& other) const;

 private:
  struct Impl;
  explicit ClientCa(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

}  // namespace capstan::manager
