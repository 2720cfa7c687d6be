#pragma once

// A server on 127.0.0.1 whose connections are scripted by the test.

#include <openssl/ssl.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <capstan/runtime/mutex.h>
#include <capstan/runtime/runtime.h>

#include "base/io/unique_fd.h"
#include "base/tls/openssl_ptr.h"
#include "support/tls_authority.h"

namespace capstan {

struct ServerTls {
  Identity identity;
  std::string client_ca_pem;  // "" = does not request a client certificate
  bool one_byte_at_a_time = false;
};

// One accepted connection, served by its own thread.
class ServerConnection {
 public:
  // `number` counts the connections of a server from 0.
  ServerConnection(int fd, int number, SSL_CTX* tls, bool one_byte_at_a_time);
  ~ServerConnection();

  int number() const { return number_; }
  // Must be called first when the server uses TLS.
  bool Handshake();
  // The exchange with a proxy before the handshake.
  std::string ReadPlainRequest();
  void SendPlain(const std::string& text);
  // The head, and the body according to Content-Length. nullopt when the client has closed the
  // connection.
  std::optional<std::string> ReadRequest();
  void Send(const std::string& text);
  // Sends a response with a Content-Length.
  void Answer(const std::string& body, const std::string& status = "200 OK",
              const std::string& headers = "");
  // Waits until the client closes the connection. Discards received bytes.
  void WaitForClose();
  // Closes the TCP connection without a TLS close_notify.
  void Break();

  // The name in the client's certificate, or "".
  std::string client_name() const;
  std::string server_name() const;

 private:
  std::string Receive();
  void Flush();

  const int fd_;
  const int number_;
  const bool one_byte_at_a_time_;
  tls::SessionPtr ssl_;
  std::string buffer_;
};

class ScriptedServer {
 public:
  using Script = std::function<void(ServerConnection&)>;

  explicit ScriptedServer(Script script, std::optional<ServerTls> tls = std::nullopt);
  // Breaks the connections that are still open.
  ~ScriptedServer();

  uint16_t port() const { return port_; }
  std::string HostPort() const { return "127.0.0.1:" + std::to_string(port_); }
  std::string Url() const { return (tls_ ? "https://" : "http://") + HostPort(); }
  int connections() const { return connections_; }
  // Stops accepting connections.
  void StopListening();

 private:
  void AcceptAll();
  void Serve(int fd, int number);

  const Script script_;
  bool one_byte_at_a_time_ = false;
  tls::ContextPtr tls_;
  io::UniqueFd listener_;
  uint16_t port_ = 0;
  std::atomic<int> connections_ = 0;
  Mutex mutex_;
  std::vector<io::UniqueFd> sockets_ CAPSTAN_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Thread>> threads_ CAPSTAN_GUARDED_BY(mutex_);
  std::unique_ptr<Thread> acceptor_;
};

// A server that responds to every request with the request itself.
ScriptedServer::Script Echo();

}  // namespace capstan
