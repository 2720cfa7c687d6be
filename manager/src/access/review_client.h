#pragma once

/// ReviewClient: sends the reviews that authenticate and authorize users. It has its own rate limit
/// and deadline, because a request to the manager's server waits for the response.
///
/// Metrics: PREFIX_request_total{code} and PREFIX_request_duration_seconds{code}, as
/// k8s.io/apiserver has them for apiserver_delegated_authn and apiserver_delegated_authz.
///
/// Threads: all methods may be called from any thread, including threads that the Runtime did not
/// start.

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include <capstan/client/client.h>
#include <capstan/metrics/metrics.h>

namespace capstan::manager {

class ReviewClient {
 public:
  /// From the call to the response, including all retries.
  static constexpr Duration kDeadline = std::chrono::seconds(10);

  /// `host` is a label of the client's metrics. `prefix` is the prefix of the review metrics.
  ReviewClient(std::shared_ptr<Transport> transport, std::string host, std::string prefix,
               Runtime& runtime, MetricsRegistry& metrics);

  /// Sends `review` and returns the response. May wait for kDeadline before it returns an error.
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
  /// Cancels the calls under way and all later ones.
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
