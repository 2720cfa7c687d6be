#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace capstan::manager {

// A client that sends exactly the given bytes, over TLS or plain TCP. It gives up after half a
// minute without data, so that a broken server fails the test instead of blocking it.
class RawClient {
 public:
  struct Tls {
    int max_version = 0;                     // 0 = the newest
    std::string ciphers = {};                // OpenSSL cipher names; "" = the default
    std::string server_name = {};            // "" = sends none
    std::string protocols = {};              // ALPN, in wire format
    std::string certificate = {}, key = {};  // in PEM; the certificate is followed by its issuers
  };
  explicit RawClient(int port, int receive_buffer = 0);
  RawClient(int port, const Tls& tls);
  ~RawClient();
  RawClient(RawClient&&) noexcept;

  // False when the connection or the handshake failed.
  bool connected() const { return connected_; }
  // The name in the server's certificate, or "".
  std::string PeerName() const;
  std::string Protocol() const;  // the protocol selected by ALPN
  std::string Cipher() const;

  // False when the server has closed the connection.
  bool Send(std::string_view text);
  // The next response: "200 body", or "" when the server has closed the connection. Afterwards
  // head() is the head of this response.
  std::string Receive(bool has_body = true);
  const std::string& head() const { return head_; }
  // Whether the server closes the connection without sending more.
  bool IsClosed();
  // Whether the server resets the connection.
  bool AwaitReset();
  // Whether the server closes the connection or sends data within this time.
  bool HasInput(int wait_millis);

  // Sends "GET path" on this connection and returns the response.
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
