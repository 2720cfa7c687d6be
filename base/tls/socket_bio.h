#pragma once

/// A BIO for a non-blocking socket. OpenSSL's own socket BIO would raise SIGPIPE when the peer has
/// closed the connection.

#include <openssl/bio.h>

namespace capstan::tls {

/// `socket` is borrowed: `*socket` is read at each call and must outlive the BIO. SSL_set_bio takes
/// ownership of the BIO. Returns null if memory is exhausted.
BIO* NewSocketBio(int* socket);

}  // namespace capstan::tls
