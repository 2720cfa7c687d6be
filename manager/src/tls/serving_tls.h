#pragma once

/// The TLS configuration of the HTTPS listener.
///
/// Client certificates are requested, but neither required nor verified here. TLS proves that the
/// client holds the key; the authenticator verifies the signature. Sessions are not resumed, since
/// a resumed session has no client certificate.

#include <memory>
#include <string>
#include <vector>

#include <capstan/runtime/status.h>

struct ssl_ctx_st;

namespace capstan::manager {

class ServingCertificates;

/// `certificates` is borrowed; it provides the certificate of each connection. `min_version` and
/// `cipher_suites` are the values of --tls-min-version and --tls-cipher-suites. Errors name these
/// flags.
Result<std::shared_ptr<ssl_ctx_st>> NewServingContext(const std::string& min_version,
                                                      const std::vector<std::string>& cipher_suites,
                                                      const ServingCertificates& certificates);

}  // namespace capstan::manager
