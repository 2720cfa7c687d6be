#include "client/http/tls_session.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "base/tls/openssl_ptr.h"
#include "base/tls/socket_bio.h"

namespace capstan::client {
namespace {

int RefusalIndex() {
  static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

std::string AddressText(const ASN1_OCTET_STRING& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int family = ASN1_STRING_length(&address) == 4 ? AF_INET : AF_INET6;
  if (ASN1_STRING_length(&address) != (family == AF_INET ? 4 : 16)) return "?";
  inet_ntop(family, ASN1_STRING_get0_data(&address), text.data(), text.size());
  return text.data();
}

// The names that `certificate` is valid for.
std::string NamesOf(const X509& certificate) {
  const tls::NamesPtr names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr)));
  std::string text;
  for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* const name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type != GEN_DNS && name->type != GEN_IPADD) continue;
    if (!text.empty()) text += ", ";
    if (name->type == GEN_IPADD) {
      text += AddressText(*name->d.iPAddress);
    } else {
      text.append(reinterpret_cast<const char*>(ASN1_STRING_get0_data(name->d.dNSName)),
                  static_cast<size_t>(ASN1_STRING_length(name->d.dNSName)));
    }
  }
  return text.empty() ? "no name" : text;
}

std::string SubjectOf(const X509& certificate) {
  const tls::BioPtr bio(BIO_new(BIO_s_mem()));
  if (!bio) return {};
  X509_NAME_print_ex(bio.get(), X509_get_subject_name(&certificate), 0, XN_FLAG_RFC2253);
  return tls::TextOf(*bio);
}

}  // namespace

TlsSession::TlsSession(std::shared_ptr<const TlsContext> context, int fd)
    : context_(std::move(context)), fd_(fd) {
  ERR_clear_error();
  ssl_.reset(SSL_new(context_->get()));
  if (!ssl_) return;
  BIO* const bio = tls::NewSocketBio(&fd_);
  if (!bio) {
    ssl_.reset();
    return;
  }
  SSL_set_bio(ssl_.get(), bio, bio);
  SSL_set_connect_state(ssl_.get());
  SSL_set_ex_data(ssl_.get(), RefusalIndex(), &refusal_);
  if (!context_->server_name().empty()) {
    SSL_set_tlsext_host_name(ssl_.get(), context_->server_name().c_str());
  }
}

TlsSession::~TlsSession() = default;

int TlsSession::NoteVerification(int accepted, X509_STORE_CTX* chain) {
  if (accepted == 1) return accepted;
  const auto* const ssl = static_cast<const SSL*>(
      X509_STORE_CTX_get_ex_data(chain, SSL_get_ex_data_X509_STORE_CTX_idx()));
  auto* const refusal = static_cast<std::string*>(SSL_get_ex_data(ssl, RefusalIndex()));
  const int error = X509_STORE_CTX_get_error(chain);
  *refusal = X509_verify_cert_error_string(error);
  const X509* const certificate = X509_STORE_CTX_get_current_cert(chain);
  if (!certificate) return accepted;
  if (error == X509_V_ERR_HOSTNAME_MISMATCH || error == X509_V_ERR_IP_ADDRESS_MISMATCH) {
    *refusal += ": the certificate is valid for " + NamesOf(*certificate);
  } else {
    *refusal += ": certificate of " + SubjectOf(*certificate);
  }
  return accepted;
}

TlsSession::Outcome TlsSession::OutcomeOf(int result) {
  if (result > 0) return Outcome::kDone;
  const int system_error = errno;
  const int error = SSL_get_error(ssl_.get(), result);
  switch (error) {
    case SSL_ERROR_WANT_READ:
      return Outcome::kWantRead;
    case SSL_ERROR_WANT_WRITE:
      return Outcome::kWantWrite;
    case SSL_ERROR_ZERO_RETURN:
      return Outcome::kEnd;
    default:
      break;
  }
  const unsigned long code = ERR_peek_error();
  if (!refusal_.empty()) {
    error_ = "certificate verify failed: " + refusal_;
  } else if (ERR_GET_LIB(code) == ERR_LIB_SSL &&
             ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
    error_ = "connection closed by the server";
  } else if (ERR_GET_LIB(code) == ERR_LIB_SSL &&
             ERR_GET_REASON(code) == SSL_R_WRONG_VERSION_NUMBER) {
    error_ = "TLS: the server does not speak TLS 1.2 or later here; is it plain HTTP?";
  } else if (code != 0) {
    error_ = "TLS: " + tls::TakeFirstError("protocol error");
  } else {
    error_ = system_error == 0 ? "connection closed by the server"
                               : std::generic_category().message(system_error);
  }
  ERR_clear_error();
  return Outcome::kFailed;
}

TlsSession::Outcome TlsSession::Handshake() {
  if (!ssl_) {
    error_ = "TLS: out of memory";
    return Outcome::kFailed;
  }
  ERR_clear_error();
  errno = 0;
  return OutcomeOf(SSL_do_handshake(ssl_.get()));
}

TlsSession::Outcome TlsSession::Read(char* buffer, size_t size, size_t& count) {
  ERR_clear_error();
  errno = 0;
  return OutcomeOf(SSL_read_ex(ssl_.get(), buffer, size, &count));
}

TlsSession::Outcome TlsSession::Write(const char* data, size_t size, size_t& count) {
  ERR_clear_error();
  errno = 0;
  return OutcomeOf(SSL_write_ex(ssl_.get(), data, size, &count));
}

bool TlsSession::HasPending() const { return ssl_ && SSL_has_pending(ssl_.get()) == 1; }

void TlsSession::Close() {
  ERR_clear_error();
  if (ssl_) SSL_shutdown(ssl_.get());
  ERR_clear_error();
}

}  // namespace capstan::client
