#pragma once

/// FakeCluster: a simulated cluster for tests, in virtual time.
///
///     testing::FakeCluster cluster;
///     cluster.Load(Setup);                    // the controllers of a plugin
///     cluster.Create(ReplicaSetNamed("web", 3));
///     cluster.RunUntilIdle();                 // whatever can run now; AdvanceBy(10min) moves time
///     EXPECT_EQ(cluster.Events().size(), 1);
///
/// It consists of an ApiServer with the namespace "default", a Kubelet, a SimulatedRuntime that
/// runs these and the controllers by a seed, and a FaultInjector between the controllers and the
/// server.
///
/// Threads: one thread constructs, drives and destroys it.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/api/core_v1.h>
#include <capstan/client/client.h>
#include <capstan/export.h>
#include <capstan/metrics/metrics.h>
#include <capstan/plugin/plugin_context.h>
#include <capstan/testing/api_server.h>
#include <capstan/testing/fault_injector.h>
#include <capstan/testing/kubelet.h>
#include <capstan/testing/simulated_runtime.h>

namespace capstan::testing {

class CAPSTAN_EXPORT FakeCluster {
 public:
  struct Options {
    uint64_t seed = 1;
    ApiServerOptions server = {};
    KubeletOptions kubelet = {};
    bool with_kubelet = true;
  };
  FakeCluster();
  explicit FakeCluster(Options options);
  ~FakeCluster();  ///< stops the controllers and all other threads

  // Time.
  void RunUntilIdle();
  void AdvanceBy(Duration duration);
  /// Runs and advances time until `done` returns true. Returns false if `limit` of virtual time
  /// passes first.
  bool RunUntil(const std::function<bool()>& done, Duration limit = std::chrono::minutes(10));

  /// Sets up a plugin and starts its controllers, as a leading manager does. Throws
  /// std::runtime_error on an error.
  void Load(Status (*setup)(PluginContext& context), std::string_view plugin_name = "test");

  /// Returns the response of a plugin's page. "" is the plugin's root page. The status is 404 if
  /// the page does not exist.
  PageAnswer GetPage(std::string_view plugin_name, const std::string& path = "") const;
  /// Returns the result of a plugin's health check. NotFound if the check does not exist.
  Status CheckHealth(std::string_view plugin_name, const std::string& name) const;

  // Objects. These methods throw std::runtime_error with the server's message if the server rejects
  // a request. Use client() where a test expects a rejection.
  template <ApiObject T>
  std::shared_ptr<const T> Create(T object) {
    if (object.metadata.namespace_.empty() && IsNamespaced(DescriptorOf<T>())) {
      object.metadata.namespace_ = "default";
    }
    return Checked(client().Create(object));
  }
  /// `json` is any object with apiVersion and kind. The namespace is "default" unless it names
  /// another.
  void CreateJson(std::string_view json);
  template <ApiObject T>
  std::shared_ptr<const T> Get(std::string_view name, std::string_view namespace_ = "default") {
    return Checked(client().Get<T>({std::string(namespace_), std::string(name)}));
  }
  /// Lists all namespaces unless `namespace_` is set.
  template <ApiObject T>
  std::vector<std::shared_ptr<const T>> List(std::string_view namespace_ = {}) {
    return Checked(client().ListAll<T>(namespace_));
  }
  template <ApiObject T>
  std::shared_ptr<const T> Patch(std::string_view name, std::string_view merge_patch,
                                 std::string_view subresource = {},
                                 std::string_view namespace_ = "default") {
    return Checked(client().Patch<T>({std::string(namespace_), std::string(name)},
                                     PatchType::kMerge, merge_patch, subresource));
  }
  template <ApiObject T>
  void Delete(std::string_view name, const DeleteOptions& options = {},
              std::string_view namespace_ = "default") {
    Check(client().Delete<T>({std::string(namespace_), std::string(name)}, options));
  }
  /// The events so far, in the order of their first write.
  std::vector<api::core::v1::Event> Events();

  // The parts.
  SimulatedRuntime& runtime();
  ApiServer& server();
  /// A client that bypasses the FaultInjector and has no rate limit.
  const Client& client();
  /// Null if the cluster has no Kubelet.
  Kubelet* kubelet();
  /// The FaultInjector between the loaded controllers and the server.
  FaultInjector& faults();
  MetricsRegistry& metrics();

 private:
  static bool IsNamespaced(const TypeDescriptor& type);
  static void Check(const Status& status);
  template <class T>
  static T Checked(Result<T> result) {
    Check(result.status());
    return *std::move(result);
  }

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// For matchers: ElementsAre(EventWithReason("Hello")).
struct EventWithReason {
  explicit EventWithReason(std::string_view reason) : reason(reason) {}
  std::string reason;
  friend bool operator==(const api::core::v1::Event& event, const EventWithReason& wanted) {
    return event.reason == wanted.reason;
  }
};

}  // namespace capstan::testing
