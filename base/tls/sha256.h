#pragma once

/// Sha256: the digest of a text, 32 bytes. Throws std::runtime_error where OpenSSL has none: no two
/// texts may ever share a digest that is empty. Threads: any.

#include <string>
#include <string_view>

namespace capstan::tls {

std::string Sha256(std::string_view text);

}  // namespace capstan::tls
