#pragma once

/// ServerStream: the server side of a plain or TLS connection on a non-blocking socket.
///
/// Threads: used by one thread at a time. The socket is borrowed.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

struct ssl_ctx_st;
struct ssl_st;

namespace capstan::http {

class ServerStream {
 public:
  enum class Outcome {
    kDone,
    kWantRead,   ///< retry when the socket is readable
    kWantWrite,  ///< retry when the socket is writable
    kEnd,        ///< the client has closed its side, or the connection failed
  };

  virtual ~ServerStream();
  virtual Outcome Handshake() = 0;
  virtual Outcome Read(char* buffer, size_t size, size_t& count) = 0;
  virtual Outcome Write(const char* data, size_t size, size_t& count) = 0;
  /// Tells the client that no more data follows. Data that the client still sends can be read from
  /// the socket.
  virtual void Finish() = 0;
  /// The certificate chain that the client presented, in DER. The client's own certificate is
  /// first.
  virtual std::vector<std::string> PeerCertificates() const = 0;
};

class PlainStream final : public ServerStream {
 public:
  explicit PlainStream(int socket) : socket_(socket) {}
  Outcome Handshake() override { return Outcome::kDone; }
  Outcome Read(char* buffer, size_t size, size_t& count) override;
  Outcome Write(const char* data, size_t size, size_t& count) override;
  void Finish() override;
  std::vector<std::string> PeerCertificates() const override { return {}; }

 private:
  const int socket_;
};

class TlsStream final : public ServerStream {
 public:
  /// `local_address` is the server address that the client connected to, without the port.
  TlsStream(ssl_ctx_st* context, int socket, std::string local_address);
  ~TlsStream() override;
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  static const TlsStream& Of(const ssl_st* session);
  const std::string& local_address() const { return local_address_; }

  Outcome Handshake() override;
  Outcome Read(char* buffer, size_t size, size_t& count) override;
  Outcome Write(const char* data, size_t size, size_t& count) override;
  void Finish() override;
  std::vector<std::string> PeerCertificates() const override;

 private:
  struct Session;
  Outcome OutcomeOf(int result);

  int socket_;
  const std::string local_address_;
  std::unique_ptr<Session> session_;
  bool failed_ = false;
};

}  // namespace capstan::http
