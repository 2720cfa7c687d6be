#include "client/auth/exec_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include <capstan/metrics/metrics.h>
#include <capstan/runtime/runtime.h>

#include "support/tls_authority.h"

namespace capstan {
namespace {

using client::CountExecCall;
using client::ExecCertificateMetrics;

double ExecCalls(const char* code, const char* call_status) {
  return DefaultMetrics()
      .NewCounter("rest_client_exec_plugin_call_total", "",
                  {{"code", code}, {"call_status", call_status}})
      .Value();
}

// The value of a series in the process-wide registry.
double Exported(const std::string& series) {
  const std::string text = DefaultMetrics().Serialize();
  const size_t at = text.find("\n" + series + " ");
  if (at == text.npos) return std::numeric_limits<double>::quiet_NaN();
  return std::stod(text.substr(at + series.size() + 2));
}

TEST(ExecMetrics, CountsCallsByExitCodeAndOutcome) {
  const double failed = ExecCalls("3", "plugin_execution_error");
  CountExecCall(Status::Ok(), 0);
  CountExecCall(Status(StatusReason::kTransport, "failed"), 3);
  CountExecCall(Status(StatusReason::kNotFound, "no such program"), std::nullopt);
  CountExecCall(Status(StatusReason::kTransport, "too long"), std::nullopt);
  EXPECT_GE(ExecCalls("0", "no_error"), 1);
  EXPECT_EQ(ExecCalls("3", "plugin_execution_error"), failed + 1);
  EXPECT_GE(ExecCalls("1", "plugin_not_found_error"), 1);
  EXPECT_GE(ExecCalls("1", "client_internal_error"), 1);
}

TEST(ExecMetrics, ExportsCertificateExpirationAndRotationAge) {
  const Authority authority("exec");
  const std::string ttl = "rest_client_exec_plugin_ttl_seconds";
  const std::string rotations = "rest_client_exec_plugin_certificate_rotation_age_count";
  {
    ExecCertificateMetrics metrics(SystemRuntime().clock());
    EXPECT_EQ(Exported(ttl), std::numeric_limits<double>::infinity());
    metrics.Use(authority.Issue("one", {}).cert_pem);
    const double left = Exported(ttl);
    EXPECT_GT(left, 0);
    EXPECT_LT(left, 100 * 365 * 86'400.0);
    metrics.Use(authority.Issue("two", {}).cert_pem);
    EXPECT_GE(Exported(rotations), 1);
  }
  EXPECT_EQ(Exported(ttl), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace capstan
