#pragma once

/// What all servers of Capstan have in common in TLS.

#include <openssl/ssl.h>

#include <memory>
#include <string>

#include <capstan/runtime/status.h>

namespace capstan::tls {

inline constexpr char kDefaultCiphers[] = "ECDHE+AESGCM:ECDHE+CHACHA20";

/// For HTTP/1.1 from `min_version` (TLS1_2_VERSION, ...) on, with these cipher suites below TLS 1.3
/// ("": OpenSSL's default), without sessions, tickets, renegotiation and compression. It has no
/// certificate yet.
Result<std::shared_ptr<SSL_CTX>> NewServerContext(int min_version, const std::string& ciphers);

}  // namespace capstan::tls
