#pragma once

/// One TLS connection over a non-blocking socket.

#include <openssl/ssl.h>

#include <cstddef>
#include <memory>
#include <string>

#include "base/tls/openssl_ptr.h"
#include "client/http/tls_context.h"

namespace capstan::client {

class TlsSession {
 public:
  enum class Outcome { kDone, kWantRead, kWantWrite, kEnd, kFailed };

  /// The caller keeps the ownership of `fd`.
  TlsSession(std::shared_ptr<const TlsContext> context, int fd);
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  Outcome Handshake();
  Outcome Read(char* buffer, size_t size, size_t& count);
  Outcome Write(const char* data, size_t size, size_t& count);
  /// Whether bytes have been received that are not read yet, e.g. the first ones of a record.
  bool HasPending() const;
  /// Sends close_notify without waiting for the reply.
  void Close();

  /// The reason of the last kFailed outcome.
  const std::string& error() const { return error_; }

  /// OpenSSL's verify callback: records why a certificate was rejected.
  static int NoteVerification(int accepted, X509_STORE_CTX* chain);

 private:
  Outcome OutcomeOf(int result);

  std::shared_ptr<const TlsContext> context_;
  int fd_;
  tls::SessionPtr ssl_;
  std::string refusal_;
  std::string error_;
};

}  // namespace capstan::client
