#pragma once

/// Sha256: the 32-byte digest of a text. Throws std::runtime_error if OpenSSL cannot compute it,
/// since an empty digest would make different texts equal. Threads: may be called from any thread.

#include <string>
#include <string_view>

namespace capstan::tls {

std::string Sha256(std::string_view text);

}  // namespace capstan::tls
