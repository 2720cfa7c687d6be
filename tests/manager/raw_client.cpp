#include "raw_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cstdlib>
#include <utility>

#include "base/io/unique_fd.h"
#include "base/tls/openssl_ptr.h"

namespace capstan::manager {
namespace {

io::UniqueFd ConnectTo(int port, int receive_buffer) {
  io::UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval timeout{.tv_sec = 30, .tv_usec = 0};
  setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
  setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
  const int on = 1;
  setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  if (receive_buffer > 0) {
    setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof(receive_buffer));
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) return {};
  return socket;
}

void UseClientCertificate(SSL* session, const RawClient::Tls& tls) {
  const tls::BioPtr certificates(BIO_new_mem_buf(tls.certificate.data(), -1));
  const tls::BioPtr key_pem(BIO_new_mem_buf(tls.key.data(), -1));
  const tls::X509Ptr own(PEM_read_bio_X509(certificates.get(), nullptr, nullptr, nullptr));
  SSL_use_certificate(session, own.get());
  while (X509* issuer = PEM_read_bio_X509(certificates.get(), nullptr, nullptr, nullptr)) {
    SSL_add0_chain_cert(session, issuer);
  }
  const tls::KeyPtr key(PEM_read_bio_PrivateKey(key_pem.get(), nullptr, nullptr, nullptr));
  SSL_use_PrivateKey(session, key.get());
  ERR_clear_error();
}

tls::ContextPtr NewClientContext(const RawClient::Tls& tls) {
  tls::ContextPtr context(SSL_CTX_new(TLS_client_method()));
  SSL_CTX_set_security_level(context.get(), 0);  // leaves the refusal to the server
  SSL_CTX_set_min_proto_version(context.get(), TLS1_VERSION);
  if (tls.max_version != 0) SSL_CTX_set_max_proto_version(context.get(), tls.max_version);
  const char* const all = "ALL:COMPLEMENTOFALL:@SECLEVEL=0";
  SSL_CTX_set_cipher_list(context.get(), tls.ciphers.empty() ? all : tls.ciphers.c_str());
  return context;
}

}  // namespace

struct RawClient::Ends {
  io::UniqueFd socket;
  tls::ContextPtr context;
  tls::SessionPtr session;
};

RawClient::RawClient(int port, int receive_buffer) : ends_(std::make_unique<Ends>()) {
  ends_->socket = ConnectTo(port, receive_buffer);
  connected_ = ends_->socket.valid();
}

RawClient::RawClient(int port, const Tls& tls) : RawClient(port) {
  ends_->context = NewClientContext(tls);
  ends_->session.reset(SSL_new(ends_->context.get()));
  SSL* const session = ends_->session.get();
  SSL_set_fd(session, ends_->socket.get());
  if (!tls.server_name.empty()) SSL_set_tlsext_host_name(session, tls.server_name.c_str());
  if (!tls.protocols.empty()) {
    SSL_set_alpn_protos(session, reinterpret_cast<const unsigned char*>(tls.protocols.data()),
                        static_cast<unsigned>(tls.protocols.size()));
  }
  if (!tls.certificate.empty()) UseClientCertificate(session, tls);
  connected_ = connected_ && SSL_connect(session) == 1;
  ERR_clear_error();
}

RawClient::RawClient(RawClient&&) noexcept = default;

RawClient::~RawClient() = default;

std::string RawClient::PeerName() const {
  const X509* const certificate = SSL_get0_peer_certificate(ends_->session.get());
  if (!certificate) return {};
  char name[256] = "";
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name, sizeof(name));
  return name;
}

std::string RawClient::Protocol() const {
  const unsigned char* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(ends_->session.get(), &name, &size);
  return {reinterpret_cast<const char*>(name), size};
}

std::string RawClient::Cipher() const { return SSL_get_cipher_name(ends_->session.get()); }

bool RawClient::Send(std::string_view text) {
  while (!text.empty()) {
    const int size = static_cast<int>(text.size());
    const ssize_t sent = ends_->session
                             ? SSL_write(ends_->session.get(), text.data(), size)
                             : send(ends_->socket.get(), text.data(), text.size(), MSG_NOSIGNAL);
    ERR_clear_error();
    if (sent <= 0) return false;
    text.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

bool RawClient::ReadMore() {
  char buffer[16384];
  const ssize_t size = ends_->session ? SSL_read(ends_->session.get(), buffer, sizeof(buffer))
                                      : recv(ends_->socket.get(), buffer, sizeof(buffer), 0);
  ERR_clear_error();
  if (size <= 0) return false;
  input_.append(buffer, static_cast<size_t>(size));
  return true;
}

std::string RawClient::Receive(bool has_body) {
  size_t end = 0;
  while ((end = input_.find("\r\n\r\n")) == std::string::npos) {
    if (!ReadMore()) return {};
  }
  head_ = input_.substr(0, end + 2);
  input_.erase(0, end + 4);
  const size_t field = head_.find("\r\nContent-Length: ");
  size_t size = 0;
  if (has_body && field != std::string::npos) size = std::strtoul(&head_[field + 18], nullptr, 10);
  while (input_.size() < size) {
    if (!ReadMore()) return {};
  }
  std::string response = head_.substr(9, 3) + " " + input_.substr(0, size);
  input_.erase(0, size);
  return response;
}

bool RawClient::IsClosed() { return input_.empty() && !ReadMore(); }

bool RawClient::AwaitReset() {
  pollfd wanted{.fd = ends_->socket.get(), .events = 0, .revents = 0};
  return poll(&wanted, 1, 30'000) > 0 && (wanted.revents & POLLERR) != 0;
}

bool RawClient::HasInput(int wait_millis) {
  pollfd wanted{.fd = ends_->socket.get(), .events = POLLIN, .revents = 0};
  return poll(&wanted, 1, wait_millis) > 0;
}

std::string RawClient::Get(const std::string& path) {
  if (!Send("GET " + path + " HTTP/1.1\r\nHost: capstan\r\n\r\n")) return {};
  return Receive();
}

}  // namespace capstan::manager
