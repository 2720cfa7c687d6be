#pragma once

/// The TLS settings of the HTTPS listener.
///
/// Client certificates are asked for, not required, and not verified here: TLS proves that the
/// client holds the key, and who signed it is the authenticator's matter. No session is resumed,
/// as a resumed one would come without them.

#include <memory>
#include <string>
#include <vector>

#include <capstan/runtime/status.h>

struct ssl_ctx_st;

namespace capstan::manager {

class ServingCertificates;

/// Shows `certificates`, which are borrowed. `min_version` and `cipher_suites` are the values of
/// --tls-min-version and --tls-cipher-suites, which errors name.
Result<std::shared_ptr<ssl_ctx_st>> NewServingContext(const std::string& min_version,
                                                      const std::vector<std::string>& cipher_suites,
                                                      const ServingCertificates& certificates);

}  // namespace capstan::manager
