#pragma once

// A server on 127.0.0.1 whose connections do what a test says.

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
  std::string client_ca_pem;  // "" = asks for no client certificate
  bool one_byte_at_a_time = false;
};

// One accepted connection, in a thread of its own.
class ServerConnection {
 public:
  // `number` counts the connections of a server from 0.
  ServerConnection(int fd, int number, SSL_CTX* tls, bool one_byte_at_a_time);
  ~ServerConnection();

  int number() const { return number_; }
  // Before anything else, where the server has TLS.
  bool Handshake();
  // What a proxy hears and says before that.
  std::string ReadPlainRequest();
  void SendPlain(const std::string& text);
  // The head, and the body that its Content-Length tells; nullopt when the client has gone.
  std::optional<std::string> ReadRequest();
  void Send(const std::string& text);
  // An answer with a Content-Length.
  void Answer(const std::string& body, const std::string& status = "200 OK",
              const std::string& headers = "");
  // Waits until the client closes. Bytes that still come are dropped.
  void WaitForClose();
  // Ends TCP without a farewell of TLS.
  void Break();

  // Of the client's certificate, or "".
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
  // Breaks the connections that are still there.
  ~ScriptedServer();

  uint16_t port() const { return port_; }
  std::string HostPort() const { return "127.0.0.1:" + std::to_string(port_); }
  std::string Url() const { return (tls_ ? "https://" : "http://") + HostPort(); }
  int connections() const { return connections_; }
  // Accepts no more.
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

// A server that answers every request with the request itself.
ScriptedServer::Script Echo();

}  // namespace capstan
