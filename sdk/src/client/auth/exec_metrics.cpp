#include "client/auth/exec_metrics.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <capstan/metrics/metrics.h>
#include <capstan/runtime/mutex.h>
#include <capstan/runtime/runtime.h>

#include "base/tls/certificate.h"

namespace capstan::client {
namespace {

// Too frequent: 10 minutes to an hour; good: 4 hours to a month; late: 3 months to 4 years.
const std::vector<double>& AgeBuckets() {
  static const std::vector<double> buckets = {
      600, 1800, 3600, 14400, 86400, 604800, 2592000, 7776000, 15552000, 31104000, 124416000};
  return buckets;
}

// The expiry times of the certificates in use, by user.
class Expiries {
 public:
  static Expiries& Shared() {
    static auto* const shared = new Expiries;  // never destroyed: a scrape may come at exit
    return *shared;
  }
  void Set(const void* user, std::optional<WallTime> expiry) {
    MutexLock lock(mutex_);
    if (expiry) {
      expiries_[user] = *expiry;
    } else {
      expiries_.erase(user);
    }
  }

 private:
  Expiries() {
    DefaultMetrics().NewGaugeFunction(
        "rest_client_exec_plugin_ttl_seconds",
        "Seconds until the first of the client certificates from exec plugins expires, negative "
        "when it has; +Inf without any.",
        {}, [](const void* self) { return static_cast<const Expiries*>(self)->Seconds(); }, this);
  }
  double Seconds() const {
    const WallTime now = SystemRuntime().clock().Now();
    double shortest = std::numeric_limits<double>::infinity();
    MutexLock lock(mutex_);
    for (const auto& [user, expiry] : expiries_) {
      shortest = std::min(shortest, std::chrono::duration<double>(expiry - now).count());
    }
    return shortest;
  }

  mutable Mutex mutex_;
  std::map<const void*, WallTime> expiries_ CAPSTAN_GUARDED_BY(mutex_);
};

std::optional<WallTime> TimeOf(const ASN1_TIME* time) {
  std::tm parts{};
  if (!time || ASN1_TIME_to_tm(time, &parts) != 1) return std::nullopt;
  return WallTime(std::chrono::seconds(timegm(&parts)));
}

}  // namespace

void CountExecCall(const Status& status, std::optional<int> exit_code) {
  std::string code = "1";
  std::string outcome = "client_internal_error";
  if (status.ok()) {
    code = "0";
    outcome = "no_error";
  } else if (exit_code) {
    code = std::to_string(*exit_code);
    outcome = "plugin_execution_error";
  } else if (status.reason() == StatusReason::kNotFound) {
    outcome = "plugin_not_found_error";
  }
  DefaultMetrics()
      .NewCounter("rest_client_exec_plugin_call_total",
                  "Number of calls to an exec plugin, partitioned by exit code and outcome.",
                  {{"code", code}, {"call_status", outcome}})
      .Increment();
}

ExecCertificateMetrics::ExecCertificateMetrics(const Clock& clock) : clock_(clock) {
  Expiries::Shared();
}

ExecCertificateMetrics::~ExecCertificateMetrics() { Expiries::Shared().Set(this, std::nullopt); }

void ExecCertificateMetrics::Use(std::string_view cert_pem) {
  std::optional<WallTime> from, until;
  if (!cert_pem.empty()) {
    if (const Result<std::vector<tls::X509Ptr>> chain = tls::ParseCertificates(cert_pem)) {
      from = TimeOf(X509_get0_notBefore(chain->front().get()));
      until = TimeOf(X509_get0_notAfter(chain->front().get()));
    }
  }
  if (valid_from_) {
    DefaultMetrics()
        .NewHistogram("rest_client_exec_plugin_certificate_rotation_age",
                      "How old in seconds client certificates from exec plugins were when they "
                      "were replaced.",
                      AgeBuckets())
        .Observe(std::chrono::duration<double>(clock_.Now() - *valid_from_).count());
  }
  valid_from_ = from;
  Expiries::Shared().Set(this, until);
}

}  // namespace capstan::client
