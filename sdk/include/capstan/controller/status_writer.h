#pragma once

/// StatusWriter: writes the status of objects of one kind, including to API servers that do not
/// know all of its fields.
///
/// A server that is older than a field, or that runs with the field's feature gate off, drops the
/// field from a write without an error. A reconciler that compares its status with the server's
/// would write again and again. The writer detects a dropped field from the response. From then on
/// it does not write an object if only this field differs:
///
///     StatusWriter<Deployment> status_{client, {&DeploymentStatus::terminatingReplicas}};
///     auto written = status_.Write(*before, after);
///
/// The field is still sent when other fields are written. The writer therefore detects when the
/// server supports the field, e.g. after an upgrade.
///
/// https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates/
///
/// Threads: Write may be called from any thread.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <capstan/api/object.h>
#include <capstan/client/client.h>
#include <capstan/runtime/status.h>

namespace capstan {

template <ApiObject T>
class StatusWriter {
 public:
  /// A status member that some servers do not know.
  using Field = std::optional<int32_t> decltype(T::status)::*;

  StatusWriter(const Client& client, std::vector<Field> newer_fields)
      : client_(client),
        fields_(std::move(newer_fields)),
        dropped_(std::make_unique<std::atomic<bool>[]>(fields_.size())) {}

  /// Patches the difference between `before`, the object in the cache, and `after`, through the
  /// subresource `status`. Returns the written object, or null if only fields differ that the
  /// server drops, or none. The errors are those of Client::PatchDifference.
  Result<std::shared_ptr<const T>> Write(const T& before, const T& after) {
    if (DiffersOnlyInDropped(before, after)) return std::shared_ptr<const T>();
    Result<std::shared_ptr<const T>> written = client_.PatchDifference(before, after, "status");
    if (!written || !*written) return written;
    for (size_t i = 0; i < fields_.size(); ++i) {
      const Field field = fields_[i];
      if (after.status.*field) dropped_[i] = !((*written)->status.*field);
    }
    return written;
  }

  /// Returns whether Write would send a request.
  bool Differs(const T& before, const T& after) const {
    return !Equal(before, after) && !DiffersOnlyInDropped(before, after);
  }

 private:
  bool DiffersOnlyInDropped(const T& before, const T& after) const {
    std::optional<T> without;
    for (size_t i = 0; i < fields_.size(); ++i) {
      const Field field = fields_[i];
      if (!dropped_[i] || before.status.*field) continue;
      if (!without) without = after;
      (without->status.*field).reset();
    }
    return without && Equal(before, *without);
  }

  const Client client_;
  const std::vector<Field> fields_;
  const std::unique_ptr<std::atomic<bool>[]> dropped_;  // per field, by the last response
};

}  // namespace capstan
