#include "base/http/server_stream.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include <capstan/log/log.h>

#include "base/tls/certificate.h"
#include "base/tls/openssl_ptr.h"
#include "base/tls/socket_bio.h"

namespace capstan::http {
namespace {

bool WouldBlock() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

ServerStream::~ServerStream() = default;

ServerStream::Outcome PlainStream::Read(char* buffer, size_t size, size_t& count) {
  const ssize_t result = recv(socket_, buffer, size, 0);
  if (result < 0 && WouldBlock()) return Outcome::kWantRead;
  if (result <= 0) return Outcome::kEnd;
  count = static_cast<size_t>(result);
  return Outcome::kDone;
}

ServerStream::Outcome PlainStream::Write(const char* data, size_t size, size_t& count) {
  const ssize_t result = send(socket_, data, size, MSG_NOSIGNAL);
  if (result < 0 && WouldBlock()) return Outcome::kWantWrite;
  if (result < 0) return Outcome::kEnd;
  count = static_cast<size_t>(result);
  return Outcome::kDone;
}

void PlainStream::Finish() { shutdown(socket_, SHUT_WR); }

struct TlsStream::Session {
  tls::SessionPtr ssl;
};

TlsStream::TlsStream(SSL_CTX* context, int socket, std::string local_address)
    : socket_(socket),
      local_address_(std::move(local_address)),
      session_(std::make_unique<Session>()) {
  ERR_clear_error();
  session_->ssl.reset(SSL_new(context));
  BIO* const bio = tls::NewSocketBio(&socket_);
  if (!session_->ssl || !bio) {
    BIO_free(bio);
    failed_ = true;
    return;
  }
  SSL_set_bio(session_->ssl.get(), bio, bio);
  SSL_set_accept_state(session_->ssl.get());
  SSL_set_app_data(session_->ssl.get(), this);
}

TlsStream::~TlsStream() = default;

const TlsStream& TlsStream::Of(const SSL* session) {
  return *static_cast<const TlsStream*>(SSL_get_app_data(session));
}

ServerStream::Outcome TlsStream::OutcomeOf(int result) {
  if (result > 0) return Outcome::kDone;
  switch (SSL_get_error(session_->ssl.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return Outcome::kWantRead;
    case SSL_ERROR_WANT_WRITE:
      return Outcome::kWantWrite;
    case SSL_ERROR_ZERO_RETURN:
      return Outcome::kEnd;
    default:
      break;
  }
  failed_ = true;
  LogV(4, "A TLS connection failed", {{"err", tls::TakeError("closed by the client")}});
  return Outcome::kEnd;
}

ServerStream::Outcome TlsStream::Handshake() {
  if (failed_) return Outcome::kEnd;
  ERR_clear_error();
  return OutcomeOf(SSL_do_handshake(session_->ssl.get()));
}

ServerStream::Outcome TlsStream::Read(char* buffer, size_t size, size_t& count) {
  if (failed_) return Outcome::kEnd;
  ERR_clear_error();
  return OutcomeOf(SSL_read_ex(session_->ssl.get(), buffer, size, &count));
}

ServerStream::Outcome TlsStream::Write(const char* data, size_t size, size_t& count) {
  if (failed_) return Outcome::kEnd;
  ERR_clear_error();
  return OutcomeOf(SSL_write_ex(session_->ssl.get(), data, size, &count));
}

void TlsStream::Finish() {
  if (!failed_ && SSL_is_init_finished(session_->ssl.get()) == 1) {
    ERR_clear_error();
    SSL_shutdown(session_->ssl.get());
    ERR_clear_error();
  }
  failed_ = true;
  shutdown(socket_, SHUT_WR);
}

std::vector<std::string> TlsStream::PeerCertificates() const {
  std::vector<std::string> chain;
  const X509* const own = SSL_get0_peer_certificate(session_->ssl.get());
  if (!own) return chain;
  chain.push_back(tls::DerOf(*own));
  // On the server side, OpenSSL's peer chain does not contain the client's own certificate.
  const STACK_OF(X509)* const others = SSL_get_peer_cert_chain(session_->ssl.get());
  for (int i = 0; i < sk_X509_num(others); ++i) {
    chain.push_back(tls::DerOf(*sk_X509_value(others, i)));
  }
  return chain;
}

}  // namespace capstan::http
