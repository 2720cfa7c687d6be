#include "access/client_certificate_authenticator.h"

#include <utility>

namespace capstan::manager {

Result<std::optional<UserInfo>> AuthenticateByCertificate(const ClientCa* ca,
                                                          const http::ServerRequest& request,
                                                          WallTime now) {
  if (request.client_certificates.empty() || !ca) return std::optional<UserInfo>();
  auto certificate = ca->Verify(request.client_certificates, now);
  if (!certificate) return certificate.status();
  if (certificate->common_name.empty()) return std::optional<UserInfo>();
  UserInfo user{.name = std::move(certificate->common_name),
                .uid = std::move(certificate->uid),
                .groups = std::move(certificate->organizations),
                .extra = {}};
  auto extra = RawJson::Parse(R"({"authentication.kubernetes.io/credential-id":["X509SHA256=)" +
                              certificate->sha256 + R"("]})");
  if (extra) user.extra = *std::move(extra);
  return std::optional(std::move(user));
}

}  // namespace capstan::manager
