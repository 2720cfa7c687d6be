#include "access/client_ca.h"

#include <openssl/err.h>
#include <openssl/objects.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include <capstan/runtime/format.h>

#include "base/text/hex.h"
#include "base/tls/certificate.h"
#include "base/tls/openssl_ptr.h"
#include "base/tls/sha256.h"

namespace capstan::manager {
namespace {

constexpr char kUidAttribute[] = "1.3.6.1.4.1.57683.2";
constexpr size_t kLongestChain = 16;
// No MD5, no SHA-1, no RSA below 1024 bits.
constexpr int kSecurityLevel = 1;

void FreeCertificates(STACK_OF(X509) * stack) { sk_X509_pop_free(stack, X509_free); }

using CaStorePtr = std::unique_ptr<X509_STORE, tls::Deleter<X509_STORE_free>>;
using CaContextPtr = std::unique_ptr<X509_STORE_CTX, tls::Deleter<X509_STORE_CTX_free>>;
using CaStackPtr = std::unique_ptr<STACK_OF(X509), tls::Deleter<FreeCertificates>>;
using CaObjectPtr = std::unique_ptr<ASN1_OBJECT, tls::Deleter<ASN1_OBJECT_free>>;

Status Unverified(std::string_view why) {
  return {StatusReason::kUnauthorized, Format("the client certificate is not accepted: {}", why)};
}

/// The values of an attribute of the subject, in order. Returns nullopt if one is not text.
std::optional<std::vector<std::string>> AttributesOf(const X509& certificate,
                                                     const ASN1_OBJECT& attribute) {
  std::vector<std::string> values;
  const X509_NAME* const subject = X509_get_subject_name(&certificate);
  for (int i = -1; (i = X509_NAME_get_index_by_OBJ(subject, &attribute, i)) >= 0;) {
    unsigned char* text = nullptr;
    const int size =
        ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, i)));
    if (size < 0) {
      ERR_clear_error();
      return std::nullopt;
    }
    values.emplace_back(reinterpret_cast<const char*>(text), static_cast<size_t>(size));
    OPENSSL_free(text);
  }
  return values;
}

Result<ClientCertificate> Describe(const X509& certificate, const std::string& der) {
  const CaObjectPtr uid_attribute(OBJ_txt2obj(kUidAttribute, 1));
  auto names = AttributesOf(certificate, *OBJ_nid2obj(NID_commonName));
  auto organizations = AttributesOf(certificate, *OBJ_nid2obj(NID_organizationName));
  auto uids = AttributesOf(certificate, *uid_attribute);
  if (!names || !organizations || !uids) return Unverified("its subject is not valid text");
  if (uids->size() > 1) return Unverified("its subject has several UIDs");
  // Go uses the last of several common names.
  return ClientCertificate{.common_name = names->empty() ? "" : std::move(names->back()),
                           .organizations = *std::move(organizations),
                           .uid = uids->empty() ? "" : std::move(uids->front()),
                           .sha256 = text::Hexadecimal(tls::Sha256(der))};
}

/// Checks the signers of the chain, because OpenSSL accepts certificates without basic constraints
/// as authorities in some legacy cases.
bool IsSignedByAuthorities(X509_STORE_CTX* context) {
  STACK_OF(X509)* const chain = X509_STORE_CTX_get0_chain(context);
  for (int i = 1; i + 1 < sk_X509_num(chain); ++i) {
    if (X509_check_ca(sk_X509_value(chain, i)) != 1) return false;
  }
  return true;
}

}  // namespace

struct ClientCa::Impl {
  CaStorePtr store;
  std::vector<tls::X509Ptr> authorities;
};

ClientCa::ClientCa(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ClientCa::~ClientCa() = default;

Result<std::shared_ptr<const ClientCa>> ClientCa::Parse(std::string_view pem) {
  auto bundle = tls::ParseCertificates(pem);
  if (!bundle) return bundle.status();
  auto impl = std::make_unique<Impl>();
  ERR_clear_error();
  impl->store.reset(X509_STORE_new());
  impl->authorities = *std::move(bundle);
  for (const tls::X509Ptr& authority : impl->authorities) {
    X509_STORE_add_cert(impl->store.get(), authority.get());
  }
  ERR_clear_error();
  return std::shared_ptr<const ClientCa>(new ClientCa(std::move(impl)));
}

Result<ClientCertificate> ClientCa::Verify(const std::vector<std::string>& chain,
                                           WallTime now) const {
  if (chain.empty()) return Unverified("it is missing");
  if (chain.size() > kLongestChain) return Unverified("its chain is too long");
  const tls::X509Ptr leaf = tls::CertificateFromDer(chain.front());
  if (!leaf) return Unverified("it cannot be decoded");
  const CaStackPtr others(sk_X509_new_null());
  for (size_t i = 1; i < chain.size(); ++i) {
    tls::X509Ptr other = tls::CertificateFromDer(chain[i]);
    if (!other) return Unverified("a certificate of its chain cannot be decoded");
    if (sk_X509_push(others.get(), other.get()) > 0) (void)other.release();
  }
  ERR_clear_error();
  const CaContextPtr context(X509_STORE_CTX_new());
  if (!context ||
      X509_STORE_CTX_init(context.get(), impl_->store.get(), leaf.get(), others.get()) != 1 ||
      X509_STORE_CTX_set_purpose(context.get(), X509_PURPOSE_SSL_CLIENT) != 1) {
    ERR_clear_error();
    return Unverified("it cannot be verified");
  }
  X509_VERIFY_PARAM* const parameters = X509_STORE_CTX_get0_param(context.get());
  X509_VERIFY_PARAM_set_flags(parameters, X509_V_FLAG_PARTIAL_CHAIN);
  X509_VERIFY_PARAM_set_auth_level(parameters, kSecurityLevel);
  X509_VERIFY_PARAM_set_time(parameters,
                             std::chrono::system_clock::to_time_t(
                                 std::chrono::time_point_cast<std::chrono::seconds>(now)));
  const bool verified = X509_verify_cert(context.get()) == 1;
  const int error = X509_STORE_CTX_get_error(context.get());
  ERR_clear_error();
  if (!verified) return Unverified(X509_verify_cert_error_string(error));
  if (!IsSignedByAuthorities(context.get()))
    return Unverified("its signer is not a certificate authority");
  return Describe(*leaf, chain.front());
}

bool ClientCa::Overlaps(const ClientCa& other) const {
  return std::any_of(
      impl_->authorities.begin(), impl_->authorities.end(), [&](const tls::X509Ptr& mine) {
        return std::any_of(
            other.impl_->authorities.begin(), other.impl_->authorities.end(),
            [&](const tls::X509Ptr& theirs) { return X509_cmp(mine.get(), theirs.get()) == 0; });
      });
}

}  // namespace capstan::manager
