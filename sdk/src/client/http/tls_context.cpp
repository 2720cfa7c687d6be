#include "client/http/tls_context.h"

#include <openssl/err.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <utility>

#include <capstan/log/log.h>
#include <capstan/runtime/format.h>

#include "base/io/whole_file.h"
#include "base/tls/certificate.h"
#include "client/http/tls_session.h"
#include "client/http/url.h"

namespace capstan::client {
namespace {

Status TrustBundle(SSL_CTX& context, std::string_view pem) {
  const Result<std::vector<tls::X509Ptr>> certificates = tls::ParseCertificates(pem);
  if (!certificates) return certificates.status();
  X509_STORE* const store = SSL_CTX_get_cert_store(&context);
  for (const tls::X509Ptr& certificate : *certificates) {
    if (X509_STORE_add_cert(store, certificate.get()) != 1) {
      return Status::InvalidArgument(tls::TakeFirstError("bad certificate"));
    }
  }
  // A certificate in the bundle is trusted even if it is not a root.
  X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(&context), X509_V_FLAG_PARTIAL_CHAIN);
  return Status::Ok();
}

Status UseCertificate(SSL_CTX& context, const ClientCertificate& client) {
  const Result<std::vector<tls::X509Ptr>> chain = tls::ParseCertificates(client.cert_pem);
  if (!chain) return chain.status().WithContext("client certificate");
  const Result<tls::KeyPtr> key = tls::ParsePrivateKey(client.key_pem);
  if (!key) return key.status().WithContext("client key");
  X509& leaf = *chain->front();
  if (Status status = tls::CheckKeyMatches(leaf, **key); !status.ok()) return status;
  bool used = SSL_CTX_use_certificate(&context, &leaf) == 1 &&
              SSL_CTX_use_PrivateKey(&context, key->get()) == 1;
  for (size_t i = 1; used && i < chain->size(); ++i) {
    used = SSL_CTX_add1_chain_cert(&context, (*chain)[i].get()) == 1;
  }
  if (used) return Status::Ok();
  return Status::InvalidArgument("client certificate: " + tls::TakeFirstError("not usable"));
}

bool RequireName(SSL_CTX& context, const std::string& name) {
  X509_VERIFY_PARAM* const param = SSL_CTX_get0_param(&context);
  if (IsIpAddress(name)) return X509_VERIFY_PARAM_set1_ip_asc(param, name.c_str()) == 1;
  X509_VERIFY_PARAM_set_hostflags(
      param, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  return X509_VERIFY_PARAM_set1_host(param, name.data(), name.size()) == 1;
}

Status SetTrust(SSL_CTX& context, const TlsContext::Options& options, const std::string& name) {
  if (options.insecure_skip_verify) {
    SSL_CTX_set_verify(&context, SSL_VERIFY_NONE, nullptr);
    return Status::Ok();
  }
  SSL_CTX_set_verify(&context, SSL_VERIFY_PEER, TlsSession::NoteVerification);
  if (!RequireName(context, name)) {
    ERR_clear_error();
    return Status::InvalidArgument(Format("\"{}\" is not a host name that can be verified", name));
  }
  if (!options.ca_pem.empty()) {
    return TrustBundle(context, options.ca_pem).WithContext("certificate authority");
  }
  if (SSL_CTX_set_default_verify_paths(&context) == 1) return Status::Ok();
  return Status::InvalidArgument("cannot load the system's certificate authorities: " +
                                 tls::TakeFirstError("unknown reason"));
}

std::string VerifiedName(std::string name) {
  if (name.find(':') != std::string::npos) return name.substr(0, name.find('%'));
  if (name.ends_with('.')) name.pop_back();
  return name;
}

}  // namespace

bool NamesTls(const TlsConfig& config) {
  return config.insecure_skip_verify || !config.ca_pem.empty() || !config.ca_file.empty() ||
         !config.client_cert_pem.empty() || !config.client_cert_file.empty();
}

Result<std::shared_ptr<const TlsContext>> TlsContext::Create(const Options& options) {
  ERR_clear_error();
  std::shared_ptr<TlsContext> made(new TlsContext);
  made->context_.reset(SSL_CTX_new(TLS_client_method()));
  if (!made->context_) {
    return Status::InvalidArgument("cannot use TLS: " + tls::TakeFirstError("out of memory"));
  }
  SSL_CTX& context = *made->context_;
  SSL_CTX_set_min_proto_version(&context, TLS1_2_VERSION);
  SSL_CTX_set_mode(&context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                 SSL_MODE_RELEASE_BUFFERS);
  // The head and the content of a record come by one system call.
  SSL_CTX_set_read_ahead(&context, 1);
  SSL_CTX_set_session_cache_mode(&context, SSL_SESS_CACHE_OFF);
  constexpr unsigned char kHttp11[] = "\x08http/1.1";
  SSL_CTX_set_alpn_protos(&context, kHttp11, sizeof(kHttp11) - 1);
  const std::string name = VerifiedName(options.name);
  if (Status status = SetTrust(context, options, name); !status.ok()) return status;
  if (!options.client.empty()) {
    if (Status status = UseCertificate(context, options.client); !status.ok()) return status;
  }
  if (!IsIpAddress(name)) made->server_name_ = name;
  return std::shared_ptr<const TlsContext>(std::move(made));
}

TlsContextSource::TlsContextSource(TlsConfig config, std::string name, const Clock& clock)
    : config_(std::move(config)), name_(std::move(name)), clock_(clock) {}

Result<std::unique_ptr<TlsContextSource>> TlsContextSource::Create(const TlsConfig& config,
                                                                   const std::string& host,
                                                                   const Clock& clock) {
  if (config.insecure_skip_verify && (!config.ca_pem.empty() || !config.ca_file.empty())) {
    return Status::InvalidArgument(
        "a certificate authority and insecure-skip-tls-verify are mutually exclusive");
  }
  std::unique_ptr<TlsContextSource> source(
      new TlsContextSource(config, config.server_name.empty() ? host : config.server_name, clock));
  Result<Loaded> loaded = source->Load();
  if (!loaded) return loaded.status();
  Result<std::shared_ptr<const TlsContext>> context = TlsContext::Create(loaded->options);
  if (!context) return context.status();
  MutexLock lock(source->mutex_);
  source->loaded_ = *std::move(loaded);
  source->context_ = *std::move(context);
  source->next_check_ = clock.Monotonic() + io::kFileCheckPeriod;
  return source;
}

std::array<io::FileStamp, 3> TlsContextSource::Stamps() const {
  return {io::StampOf(config_.ca_file), io::StampOf(config_.client_cert_file),
          io::StampOf(config_.client_key_file)};
}

Result<TlsContextSource::Loaded> TlsContextSource::Load() const {
  // The stamps are taken first, so that the next check sees a change during the read.
  Loaded loaded{.options = {.ca_pem = config_.ca_pem,
                            .client = {config_.client_cert_pem, config_.client_key_pem},
                            .name = name_,
                            .insecure_skip_verify = config_.insecure_skip_verify},
                .stamps = Stamps()};
  const auto fill = [](std::string& pem, const std::string& file) {
    if (!pem.empty() || file.empty()) return Status::Ok();
    Result<std::string> text = io::ReadWholeFile(file);
    if (!text) return text.status();
    if (text->empty()) return Status::InvalidArgument(file + " is empty");
    pem = *std::move(text);
    return Status::Ok();
  };
  Status status = fill(loaded.options.ca_pem, config_.ca_file);
  if (status.ok()) status = fill(loaded.options.client.cert_pem, config_.client_cert_file);
  if (status.ok()) status = fill(loaded.options.client.key_pem, config_.client_key_file);
  if (!status.ok()) return status;
  // As in client-go, one without the other is not a client certificate.
  if (loaded.options.client.cert_pem.empty() || loaded.options.client.key_pem.empty()) {
    loaded.options.client = {};
  }
  return loaded;
}

std::optional<TlsContextSource::Loaded> TlsContextSource::Reload() {
  std::array<io::FileStamp, 3> known;
  {
    MutexLock lock(mutex_);
    const MonotonicTime now = clock_.Monotonic();
    if (now < next_check_) return std::nullopt;
    next_check_ = now + io::kFileCheckPeriod;
    known = loaded_.stamps;
  }
  if (Stamps() == known) return std::nullopt;
  Result<Loaded> loaded = Load();
  if (loaded) {
    const Result<std::shared_ptr<const TlsContext>> usable = TlsContext::Create(loaded->options);
    if (usable) return *std::move(loaded);
    loaded = usable.status();
  }
  LogError(loaded.status(), "Changed TLS files are not usable, keeping the previous ones");
  return std::nullopt;
}

Result<std::shared_ptr<const TlsContext>> TlsContextSource::Current(
    const ClientCertificate& client) {
  std::optional<Loaded> reloaded = Reload();
  TlsContext::Options options;
  {
    MutexLock lock(mutex_);
    if (!reloaded && client == client_) return context_;
    if (reloaded) loaded_ = *std::move(reloaded);
    options = loaded_.options;
  }
  if (!client.empty()) options.client = client;
  Result<std::shared_ptr<const TlsContext>> context = TlsContext::Create(options);
  if (!context) return context.status();
  MutexLock lock(mutex_);
  client_ = client;
  context_ = *context;
  return context;
}

}  // namespace capstan::client
