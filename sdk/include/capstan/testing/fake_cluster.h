#pragma once

/// FakeCluster: a cluster in a test, in virtual time.
///
///     testing::FakeCluster cluster;
///     cluster.Load(Setup);                    // the controllers of a plugin
///     cluster.Create(ReplicaSetNamed("web", 3));
///     cluster.RunUntilIdle();                 // whatever can run now; AdvanceBy(10min) moves time
///     EXPECT_EQ(cluster.Events().size(), 1);
///
/// It is an ApiServer with the namespace "default", a Kubelet, a SimulatedRuntime that runs all of
/// it and the controllers by a seed, and a FaultInjector between the controllers and the server.
///
/// Threads: one thread makes, drives and destroys it.

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
  ~FakeCluster();  ///< stops the controllers and everything else

  // Time.
  void RunUntilIdle();
  void AdvanceBy(Duration duration);
  /// Runs and advances until `done`. False when `limit` of virtual time has passed first.
  bool RunUntil(const std::function<bool()>& done, Duration limit = std::chrono::minutes(10));

  /// Sets up a plugin and starts its controllers, as a leading manager does. An error is thrown as
  /// std::runtime_error.
  void Load(Status (*setup)(PluginContext& context), std::string_view plugin_name = "test");

  /// What a plugin's page answers; "" is its first one. Status 404 where there is no such page.
  PageAnswer GetPage(std::string_view plugin_name, const std::string& path = "") const;
  /// What a plugin's health check says; NotFound where there is no such check.
  Status CheckHealth(std::string_view plugin_name, const std::string& name) const;

  // Objects. What the server refuses is thrown as std::runtime_error with its text; use client()
  // where a refusal is expected.
  template <ApiObject T>
  std::shared_ptr<const T> Create(T object) {
    if (object.metadata.namespace_.empty() && IsNamespaced(DescriptorOf<T>())) {
      object.metadata.namespace_ = "default";
    }
    return Checked(client().Create(object));
  }
  /// `json` is any object, with apiVersion and kind; in "default" unless it says otherwise.
  void CreateJson(std::string_view json);
  template <ApiObject T>
  std::shared_ptr<const T> Get(std::string_view name, std::string_view namespace_ = "default") {
    return Checked(client().Get<T>({std::string(namespace_), std::string(name)}));
  }
  /// Of all namespaces, unless one is named.
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
  /// The events so far, in the order in which they were written first.
  std::vector<api::core::v1::Event> Events();

  // The parts.
  SimulatedRuntime& runtime();
  ApiServer& server();
  /// Not through the faults, without a rate limit.
  const Client& client();
  /// Null without one.
  Kubelet* kubelet();
  /// Between the controllers that were loaded and the server.
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
