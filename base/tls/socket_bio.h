#pragma once

/// OpenSSL's way to a socket that never blocks. Its own socket BIO would raise SIGPIPE when the
/// peer has gone.

#include <openssl/bio.h>

namespace capstan::tls {

/// The socket is borrowed: `*socket` is read at each call and must outlive the BIO, which
/// SSL_set_bio takes. Null when there is no memory.
BIO* NewSocketBio(int* socket);

}  // namespace capstan::tls
