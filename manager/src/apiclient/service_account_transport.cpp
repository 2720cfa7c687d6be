#include "apiclient/service_account_transport.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <capstan/api/object.h>
#include <capstan/api/time.h>
#include <capstan/log/log.h>
#include <capstan/runtime/format.h>
#include <capstan/runtime/mutex.h>

namespace capstan::manager {
namespace {

constexpr char kTokenRequest[] =
    R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest",)"
    R"("spec":{"expirationSeconds":3600}})";
// For this long a new token is not renewed, and a failed request is not repeated.
constexpr Duration kTokenPause = std::chrono::seconds(10);
// The same while there is no valid token.
constexpr Duration kNoTokenPause = std::chrono::seconds(1);
constexpr double kTokenJitter = 0.05;

struct TokenHolder {
  api::ObjectMeta metadata;
};
struct GrantedToken {
  std::string token;
  api::Time expirationTimestamp;
};
struct GrantedLife {
  int64_t expirationSeconds = 0;
};
struct TokenGrant {
  GrantedLife spec;
  GrantedToken status;
};

}  // namespace
}  // namespace capstan::manager

CAPSTAN_DEFINE_RESOURCE(capstan::manager::TokenHolder,
                        (.group = "", .version = "v1", .resource = "serviceaccounts",
                         .kind = "ServiceAccount", .namespaced = true),
                        CAPSTAN_FIELD(metadata))
CAPSTAN_DEFINE_TYPE(capstan::manager::GrantedToken, CAPSTAN_FIELD(token),
                    CAPSTAN_FIELD(expirationTimestamp))
CAPSTAN_DEFINE_TYPE(capstan::manager::GrantedLife, CAPSTAN_FIELD(expirationSeconds))
CAPSTAN_DEFINE_TYPE(capstan::manager::TokenGrant, CAPSTAN_FIELD(spec), CAPSTAN_FIELD(status))

namespace capstan::manager {

RestConfig WithoutCredentials(RestConfig config) {
  config.tls.client_cert_pem.clear();
  config.tls.client_key_pem.clear();
  config.tls.client_cert_file.clear();
  config.tls.client_key_file.clear();
  config.bearer_token.clear();
  config.bearer_token_file.clear();
  config.username.clear();
  config.password.clear();
  config.exec.reset();
  config.impersonate_user.clear();
  config.impersonate_uid.clear();
  config.impersonate_groups.clear();
  config.impersonate_extra.clear();
  return config;
}

class ServiceAccountTransport::Tokens {
 public:
  Tokens(const Client& issuer, NamespacedName account, Runtime& runtime)
      : issuer_(issuer),
        account_(std::move(account)),
        runtime_(runtime),
        changed_(runtime.NewCondition()) {}

  /// Returns a token other than `refused`, at the latest at `deadline`.
  Result<std::string> Get(const std::string& refused, MonotonicTime deadline,
                          const std::stop_token& stop) {
    Result<std::string> token = AwaitTurn(refused, deadline, stop);
    if (!token || !token->empty()) return token;
    Result<Token> granted = Request(stop);
    MutexLock lock(mutex_);
    asking_ = false;
    changed_->NotifyAll();
    // A cancelled request says nothing about the server. The next caller requests a token at once.
    if (!granted && stop.stop_requested()) return Status::Canceled();
    pause_until_ = runtime_.Now() + kTokenPause;
    if (granted) {
      token_ = *std::move(granted);
      return token_.text;
    }
    failure_ = granted.status();
    if (!IsAlive()) pause_until_ = runtime_.Now() + kNoTokenPause;
    if (IsAlive() && token_.text != refused) {
      LogWarning("Cannot renew the token of a service account, using the previous one",
                 {{"serviceAccount", account_}, {"err", failure_}});
      return token_.text;
    }
    return NoToken();
  }

 private:
  struct Token {
    std::string text;
    MonotonicTime renew_at;
    MonotonicTime expires_at;
  };

  /// Returns a valid token, or "" if the caller must request one.
  Result<std::string> AwaitTurn(const std::string& refused, MonotonicTime deadline,
                                const std::stop_token& stop) CAPSTAN_EXCLUDES(mutex_) {
    const StopWaker waker(stop, mutex_, *changed_);
    MutexLock lock(mutex_);
    while (true) {
      if (stop.stop_requested()) return Status::Canceled();
      const MonotonicTime now = runtime_.Now();
      const bool usable = IsAlive() && token_.text != refused;
      if (usable && now < token_.renew_at) return token_.text;
      if (!asking_ && now >= pause_until_) {
        asking_ = true;
        return std::string();
      }
      if (usable) return token_.text;
      if (!asking_) return NoToken();
      if (!changed_->WaitUntil(mutex_, deadline)) {
        return Status(StatusReason::kUnauthorized,
                      Format("service account {}: no token in time", account_));
      }
    }
  }

  bool IsAlive() const CAPSTAN_REQUIRES(mutex_) {
    return !token_.text.empty() && runtime_.Now() < token_.expires_at;
  }

  Status NoToken() const CAPSTAN_REQUIRES(mutex_) {
    Status::Details details;
    details.reason = StatusReason::kUnauthorized;
    details.message = Format("service account {}: no token: {}", account_,
                             failure_.ok() ? "the server rejected a token that it had just issued"
                                           : failure_.ToString());
    details.retry_after = failure_.retry_after();
    return Status(std::move(details));
  }

  Result<Token> Request(const std::stop_token& stop) const {
    const Client issuer = issuer_.WithStop(stop);
    const TypeDescriptor& type = DescriptorOf<TokenHolder>();
    const MonotonicTime begin = runtime_.Now();
    auto answer = issuer.CreateSubresource(type, account_, "token", kTokenRequest);
    if (!answer && answer.status().IsNotFound()) {
      if (Status status = CreateAccount(issuer); !status.ok()) return status;
      answer = issuer.CreateSubresource(type, account_, "token", kTokenRequest);
    }
    if (!answer) return answer.status();
    const Result<TokenGrant> grant = FromJson<TokenGrant>(*answer);
    if (!grant) return grant.status().WithContext("TokenRequest");
    // The lifetime is independent of the difference between the clocks of client and server.
    Duration life = std::chrono::seconds(grant->spec.expirationSeconds);
    if (life <= Duration::zero() && grant->status.expirationTimestamp) {
      life = grant->status.expirationTimestamp.ToWallTime() - runtime_.clock().Now();
    }
    if (grant->status.token.empty() || life <= Duration::zero()) {
      return Status::Malformed("TokenRequest: the response has no token, or an expired one");
    }
    LogV(2, "Got a token for a service account",
         {{"serviceAccount", account_},
          {"seconds", std::chrono::duration_cast<std::chrono::seconds>(life).count()}});
    return Token{grant->status.token, begin + runtime_.Jitter(life / 5 * 4, kTokenJitter),
                 begin + life};
  }

  Status CreateAccount(const Client& issuer) const {
    TokenHolder account;
    account.metadata.namespace_ = account_.namespace_;
    account.metadata.name = account_.name;
    const Status status = issuer.Create(account).status();
    if (status.ok()) LogInfo("Created a service account", {{"serviceAccount", account_}});
    return status.IsAlreadyExists() ? Status::Ok() : status;
  }

  const Client issuer_;
  const NamespacedName account_;
  Runtime& runtime_;
  const std::unique_ptr<Condition> changed_;
  mutable Mutex mutex_;
  Token token_ CAPSTAN_GUARDED_BY(mutex_);
  bool asking_ CAPSTAN_GUARDED_BY(mutex_) = false;  // a request to the issuer is under way
  MonotonicTime pause_until_ CAPSTAN_GUARDED_BY(mutex_);
  Status failure_ CAPSTAN_GUARDED_BY(mutex_);
};

ServiceAccountTransport::ServiceAccountTransport(std::shared_ptr<Transport> base,
                                                 const Client& issuer, NamespacedName account,
                                                 Runtime& runtime)
    : base_(std::move(base)),
      tokens_(std::make_unique<Tokens>(issuer, std::move(account), runtime)),
      runtime_(runtime) {}
ServiceAccountTransport::~ServiceAccountTransport() = default;

Result<std::unique_ptr<HttpResponse>> ServiceAccountTransport::RoundTrip(const HttpRequest& request,
                                                                         std::stop_token stop) {
  const MonotonicTime deadline =
      request.timeout ? runtime_.Now() + *request.timeout : MonotonicTime::max();
  const auto send = [&](const std::string& token) {
    HttpRequest signed_request = request;
    signed_request.headers.emplace_back("Authorization", "Bearer " + token);
    if (request.timeout) {
      signed_request.timeout = std::max(deadline - runtime_.Now(), Duration(1));
    }
    return base_->RoundTrip(signed_request, stop);
  };
  const Result<std::string> token = tokens_->Get({}, deadline, stop);
  if (!token) return token.status();
  auto response = send(*token);
  if (!response || (*response)->status() != 401) return response;
  // A 401 means that the server did nothing, so any request may be sent again.
  const Result<std::string> renewed = tokens_->Get(*token, deadline, stop);
  if (!renewed) {
    LogError(renewed.status(), "Cannot renew the token that the API server rejected");
    return response;
  }
  response = Status::Canceled();  // releases its connection first
  return send(*renewed);
}

}  // namespace capstan::manager
