#pragma once

/// TLS settings shared by all servers of Capstan.

#include <openssl/ssl.h>

#include <memory>
#include <string>

#include <capstan/runtime/status.h>

namespace capstan::tls {

inline constexpr char kDefaultCiphers[] = "ECDHE+AESGCM:ECDHE+CHACHA20";

/// Creates a context for HTTP/1.1 with `min_version` (TLS1_2_VERSION, ...) or later. `ciphers` are
/// the cipher suites below TLS 1.3; "" means OpenSSL's default. Sessions, tickets, renegotiation
/// and compression are disabled. The context has no certificate.
Result<std::shared_ptr<SSL_CTX>> NewServerContext(int min_version, const std::string& ciphers);

}  // namespace capstan::tls
