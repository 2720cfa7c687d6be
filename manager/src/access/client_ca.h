#pragma once

/// ClientCa: the authorities that may sign client certificates.
///
/// A certificate counts when its chain leads to one of them, when all of the chain is valid now and
/// its extended key usages, if it names any, include clientAuth. Each authority is trusted as it
/// is, whoever signed it. Chains and signatures that Go's crypto/x509 refuses are refused here too.
/// There are no revocation lists, as in Kubernetes.
/// https://kubernetes.io/docs/reference/access-authn-authz/authentication/#x509-client-certificates
///
/// Threads: immutable; any.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/runtime/clock.h>
#include <capstan/runtime/status.h>

namespace capstan::manager {

/// What a verified certificate says of its owner.
struct ClientCertificate {
  std::string common_name;                 ///< "" when it has none
  std::vector<std::string> organizations;  ///< in their order
  std::string uid;                         ///< of the attribute 1.3.6.1.4.1.57683.2, or ""
  std::string sha256;                      ///< of the certificate, in hexadecimal digits
};

class ClientCa {
 public:
  /// The certificates of a PEM bundle; other blocks are skipped. InvalidArgument when it holds none
  /// or one that does not decode.
  static Result<std::shared_ptr<const ClientCa>> Parse(std::string_view pem);
  ~ClientCa();

  /// `chain` is DER, the client's own certificate first. Unauthorized names what is wrong with it.
  Result<ClientCertificate> Verify(const std::vector<std::string>& chain, WallTime now) const;
  /// Whether an authority is in both.
  bool Overlaps(const ClientCa& other) const;

 private:
  struct Impl;
  explicit ClientCa(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

}  // namespace capstan::manager
