#pragma once

/// ReviewClient: the calls that answer who asks and what they may do, with a rate limit and a
/// deadline of their own: a request of the manager's server waits for them.
///
/// Metrics PREFIX_request_total{code} and PREFIX_request_duration_seconds{code}, as
/// k8s.io/apiserver has them for apiserver_delegated_authn and apiserver_delegated_authz.
///
/// Threads: all methods from any thread, also from those that are none of the Runtime's.

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include <capstan/client/client.h>
#include <capstan/metrics/metrics.h>

namespace capstan::manager {

class ReviewClient {
 public:
  /// From the call to the answer, with all repetitions.
  static constexpr Duration kDeadline = std::chrono::seconds(10);

  /// `host` is a label of the client's metrics; `prefix` begins those of the reviews.
  ReviewClient(std::shared_ptr<Transport> transport, std::string host, std::string prefix,
               Runtime& runtime, MetricsRegistry& metrics);

  /// Sends `review` and gives the answer. An error may have waited for kDeadline.
  template <ApiObject T>
  Result<std::shared_ptr<const T>> Review(const T& review) {
    auto answer = Create(DescriptorOf<T>(), ToJson(review));
    if (!answer) return answer.status();
    return std::static_pointer_cast<const T>(*answer);
  }
  template <ApiObject T>
  Result<std::shared_ptr<const T>> Get(const NamespacedName& name) {
    auto answer = Get(DescriptorOf<T>(), name);
    if (!answer) return answer.status();
    return std::static_pointer_cast<const T>(*answer);
  }
  /// Ends the calls under way, and all further ones.
  void Stop() { stop_.request_stop(); }

 private:
  Result<ObjectPtr> Create(const TypeDescriptor& type, const std::string& json);
  Result<ObjectPtr> Get(const TypeDescriptor& type, const NamespacedName& name);
  Result<ObjectPtr> WithinDeadline(Result<ObjectPtr> answer) const;
  void Count(const Status& status, Duration took);

  Runtime& runtime_;
  MetricsRegistry& metrics_;
  const std::string prefix_;
  const Client client_;
  std::stop_source stop_;
};

}  // namespace capstan::manager
