#include "access/review_client.h"

#include <utility>

#include "base/io/deadline_stop.h"

namespace capstan::manager {
namespace {

// As in k8s.io/apiserver. The limit bounds the load that a flood of requests causes on the API
// server, and should not delay normal requests.
constexpr double kReviewQps = 200;
constexpr int kReviewBurst = 400;

ClientOptions ReviewClientOptions(std::string host) {
  return {.qps = kReviewQps,
          .burst = kReviewBurst,
          .timeout = ReviewClient::kDeadline,
          .host = std::move(host)};
}

/// The client does not report the HTTP status of a success. For a creation it is always 201.
std::string ReviewCode(const Status& status) {
  if (status.ok()) return "201";
  return status.http_code() == 0 ? "<error>" : std::to_string(status.http_code());
}

}  // namespace

ReviewClient::ReviewClient(std::shared_ptr<Transport> transport, std::string host,
                           std::string prefix, Runtime& runtime, MetricsRegistry& metrics)
    : runtime_(runtime),
      metrics_(metrics),
      prefix_(std::move(prefix)),
      client_(std::move(transport), runtime, ReviewClientOptions(std::move(host))) {}

Result<ObjectPtr> ReviewClient::Create(const TypeDescriptor& type, const std::string& json) {
  const MonotonicTime begin = runtime_.Now();
  io::DeadlineStop bounded(runtime_);
  const Client client = client_.WithStop(bounded.Begin(begin + kDeadline, stop_.get_token()));
  auto answer = WithinDeadline(client.Create(type, "", json));
  Count(answer.status(), runtime_.Now() - begin);
  return answer;
}

Result<ObjectPtr> ReviewClient::Get(const TypeDescriptor& type, const NamespacedName& name) {
  io::DeadlineStop bounded(runtime_);
  const std::stop_token stop = bounded.Begin(runtime_.Now() + kDeadline, stop_.get_token());
  return WithinDeadline(client_.WithStop(stop).Get(type, name));
}

Result<ObjectPtr> ReviewClient::WithinDeadline(Result<ObjectPtr> answer) const {
  if (answer || !answer.status().IsCanceled() || stop_.stop_requested()) return answer;
  return Status(StatusReason::kDeadlineExceeded, "the API server did not respond in time");
}

void ReviewClient::Count(const Status& status, Duration took) {
  const MetricLabels labels = {{"code", ReviewCode(status)}};
  metrics_.NewCounter(prefix_ + "_request_total", "Number of reviews by response code.", labels)
      .Increment();
  metrics_
      .NewHistogram(prefix_ + "_request_duration_seconds",
                    "Duration of reviews in seconds by response code.",
                    {0.25, 0.5, 0.7, 1, 1.5, 3, 5, 10}, labels)
      .Observe(std::chrono::duration<double>(took).count());
}

}  // namespace capstan::manager
