#include "http_transport_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <sys/socket.h>

#include <array>

#include "base/tls/certificate.h"

namespace capstan {
namespace {

using tls::KeyPtr;
using tls::X509Ptr;

SSL_CTX* NewServerContext(const ServerTls& tls) {
  SSL_CTX* const context = SSL_CTX_new(TLS_server_method());
  const auto chain = tls::ParseCertificates(tls.identity.cert_pem);
  const auto key = tls::ParsePrivateKey(tls.identity.key_pem);
  SSL_CTX_use_certificate(context, chain->front().get());
  SSL_CTX_use_PrivateKey(context, key->get());
  if (!tls.client_ca_pem.empty()) {
    const auto authority = tls::ParseCertificates(tls.client_ca_pem);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority->front().get());
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  }
  return context;
}

size_t ContentLength(const std::string& head) {
  constexpr std::string_view kName = "Content-Length: ";
  const size_t at = head.find(kName);
  return at == std::string::npos ? 0 : std::stoul(head.substr(at + kName.size()));
}

}  // namespace

ServerConnection::ServerConnection(int fd, int number, SSL_CTX* tls, bool one_byte_at_a_time)
    : fd_(fd), number_(number), one_byte_at_a_time_(one_byte_at_a_time) {
  if (!tls) return;
  ssl_.reset(SSL_new(tls));
  SSL_set_bio(ssl_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  SSL_set_accept_state(ssl_.get());
}

ServerConnection::~ServerConnection() {
  if (ssl_ && SSL_is_init_finished(ssl_.get())) {
    SSL_shutdown(ssl_.get());
    Flush();
  }
  ERR_clear_error();
}

// Writes the pending output of OpenSSL to the socket.
void ServerConnection::Flush() {
  std::array<char, 16384> bytes;
  while (true) {
    const size_t most = one_byte_at_a_time_ ? 1 : bytes.size();
    const int count = BIO_read(SSL_get_wbio(ssl_.get()), bytes.data(), static_cast<int>(most));
    if (count <= 0) return;
    if (send(fd_, bytes.data(), static_cast<size_t>(count), MSG_NOSIGNAL) != count) return;
  }
}

bool ServerConnection::Handshake() {
  std::array<char, 16384> bytes;
  while (true) {
    const int result = SSL_do_handshake(ssl_.get());
    const bool wants_more = SSL_get_error(ssl_.get(), result) == SSL_ERROR_WANT_READ;
    Flush();
    if (result == 1) return true;
    if (!wants_more) return false;
    const ssize_t count = recv(fd_, bytes.data(), bytes.size(), 0);
    if (count <= 0) return false;
    BIO_write(SSL_get_rbio(ssl_.get()), bytes.data(), static_cast<int>(count));
  }
}

std::string ServerConnection::ReadPlainRequest() {
  std::string request;
  char byte = 0;
  while (!request.ends_with("\r\n\r\n") && recv(fd_, &byte, 1, 0) == 1) request += byte;
  return request;
}

void ServerConnection::SendPlain(const std::string& text) {
  [[maybe_unused]] const ssize_t sent = send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
}

std::string ServerConnection::Receive() {
  std::array<char, 16384> bytes;
  while (true) {
    if (ssl_) {
      const int count = SSL_read(ssl_.get(), bytes.data(), bytes.size());
      if (count > 0) return {bytes.data(), static_cast<size_t>(count)};
      if (SSL_get_error(ssl_.get(), count) != SSL_ERROR_WANT_READ) return "";
    }
    const ssize_t count = recv(fd_, bytes.data(), bytes.size(), 0);
    if (count <= 0) return "";
    if (!ssl_) return {bytes.data(), static_cast<size_t>(count)};
    BIO_write(SSL_get_rbio(ssl_.get()), bytes.data(), static_cast<int>(count));
  }
}

std::optional<std::string> ServerConnection::ReadRequest() {
  while (true) {
    const size_t end = buffer_.find("\r\n\r\n");
    if (end != std::string::npos) {
      const size_t size = end + 4 + ContentLength(buffer_.substr(0, end + 2));
      if (buffer_.size() >= size) {
        std::string request = buffer_.substr(0, size);
        buffer_.erase(0, size);
        return request;
      }
    }
    const std::string more = Receive();
    if (more.empty()) return std::nullopt;
    buffer_ += more;
  }
}

void ServerConnection::Send(const std::string& text) {
  if (ssl_) {
    SSL_write(ssl_.get(), text.data(), static_cast<int>(text.size()));
    Flush();
  } else {
    SendPlain(text);
  }
}

void ServerConnection::Answer(const std::string& body, const std::string& status,
                              const std::string& headers) {
  Send("HTTP/1.1 " + status + "\r\n" + headers + "Content-Length: " + std::to_string(body.size()) +
       "\r\n\r\n" + body);
}

void ServerConnection::WaitForClose() {
  std::array<char, 4096> bytes;
  while (recv(fd_, bytes.data(), bytes.size(), 0) > 0) {
  }
}

void ServerConnection::Break() {
  shutdown(fd_, SHUT_RDWR);
  ssl_.reset();
}

std::string ServerConnection::client_name() const {
  const X509Ptr certificate(SSL_get1_peer_certificate(ssl_.get()));
  if (!certificate) return "";
  std::array<char, 256> name{};
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate.get()), NID_commonName, name.data(),
                            name.size());
  return name.data();
}

std::string ServerConnection::server_name() const {
  const char* const name = SSL_get_servername(ssl_.get(), TLSEXT_NAMETYPE_host_name);
  return name ? name : "";
}

ScriptedServer::ScriptedServer(Script script, std::optional<ServerTls> tls)
    : script_(std::move(script)),
      one_byte_at_a_time_(tls && tls->one_byte_at_a_time),
      tls_(tls ? NewServerContext(*tls) : nullptr),
      listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener_.get(), generic, size) != 0 || listen(listener_.get(), 64) != 0 ||
      getsockname(listener_.get(), generic, &size) != 0) {
    ADD_FAILURE() << "cannot listen";
  }
  port_ = ntohs(address.sin_port);
  acceptor_ = SystemRuntime().Start("acceptor", [this] { AcceptAll(); });
}

ScriptedServer::~ScriptedServer() {
  StopListening();
  std::vector<std::unique_ptr<Thread>> threads;
  {
    MutexLock lock(mutex_);
    for (const io::UniqueFd& socket : sockets_) shutdown(socket.get(), SHUT_RDWR);
    threads.swap(threads_);
  }
}

void ScriptedServer::StopListening() {
  shutdown(listener_.get(), SHUT_RDWR);
  acceptor_->Join();
}

void ScriptedServer::AcceptAll() {
  while (true) {
    const int fd = accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return;
    const int one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    const int number = connections_++;
    MutexLock lock(mutex_);
    sockets_.emplace_back(fd);
    threads_.push_back(
        SystemRuntime().Start("connection", [this, fd, number] { Serve(fd, number); }));
  }
}

void ScriptedServer::Serve(int fd, int number) {
  {
    ServerConnection connection(fd, number, tls_.get(), one_byte_at_a_time_);
    script_(connection);
  }
  shutdown(fd, SHUT_RDWR);
}

ScriptedServer::Script Echo() {
  return [](ServerConnection& connection) {
    while (const auto request = connection.ReadRequest()) connection.Answer(*request);
  };
}

}  // namespace capstan
