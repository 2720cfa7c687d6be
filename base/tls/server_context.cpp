#include "base/tls/server_context.h"

#include <openssl/err.h>

#include "base/tls/openssl_ptr.h"

namespace capstan::tls {
namespace {

int SelectHttp11(SSL*, const unsigned char** chosen, unsigned char* chosen_size,
                 const unsigned char* offered, unsigned int offered_size, void*) {
  static constexpr unsigned char kServed[] = "\x08http/1.1";
  unsigned char* protocol = nullptr;
  if (SSL_select_next_proto(&protocol, chosen_size, kServed, sizeof(kServed) - 1, offered,
                            offered_size) != OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *chosen = protocol;
  return SSL_TLSEXT_ERR_OK;
}

}  // namespace

Result<std::shared_ptr<SSL_CTX>> NewServerContext(int min_version, const std::string& ciphers) {
  ERR_clear_error();
  const std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()), Deleter<SSL_CTX_free>());
  SSL_CTX* const raw = context.get();
  if (!raw || SSL_CTX_set_min_proto_version(raw, min_version) != 1 ||
      (!ciphers.empty() && SSL_CTX_set_cipher_list(raw, ciphers.c_str()) != 1)) {
    return Status::InvalidArgument("cannot set up TLS: " + TakeError("out of memory"));
  }
  SSL_CTX_set_options(raw, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                               SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
  SSL_CTX_set_session_cache_mode(raw, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(raw, 0);
  SSL_CTX_set_mode(raw, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                            SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_alpn_select_cb(raw, SelectHttp11, nullptr);
  return context;
}

}  // namespace capstan::tls
