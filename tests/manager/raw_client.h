#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace capstan::manager {

// A client that says exactly what it is told to, over TLS or bare. It gives up after half a minute
// of silence, so that a broken server fails a test and does not hang it.
class RawClient {
 public:
  struct Tls {
    int max_version = 0;                     // 0 = the newest
    std::string ciphers = {};                // as OpenSSL names them; "" = its default
    std::string server_name = {};            // "" = asks for none
    std::string protocols = {};              // ALPN, as on the wire
    std::string certificate = {}, key = {};  // in PEM; the certificate with those that signed it
  };
  explicit RawClient(int port, int receive_buffer = 0);
  RawClient(int port, const Tls& tls);
  ~RawClient();
  RawClient(RawClient&&) noexcept;

  // False when the connection or the handshake failed.
  bool connected() const { return connected_; }
  // Of the server's certificate; "" without one.
  std::string PeerName() const;
  std::string Protocol() const;  // that ALPN has chosen
  std::string Cipher() const;

  // False when the server has gone.
  bool Send(std::string_view text);
  // The next response: "200 body". "" when the server has closed the connection. Its head is then
  // head().
  std::string Receive(bool has_body = true);
  const std::string& head() const { return head_; }
  // Whether the server has nothing more to say and closes.
  bool IsClosed();
  // Whether the server resets the connection.
  bool AwaitReset();
  // Whether the server has closed, or said something, after a while.
  bool HasNews(int wait_millis);

  // All of it: "GET path" on this connection.
  std::string Get(const std::string& path);

 private:
  bool ReadMore();

  struct Ends;
  std::unique_ptr<Ends> ends_;
  bool connected_ = false;
  std::string input_;
  std::string head_;
};

}  // namespace capstan::manager
