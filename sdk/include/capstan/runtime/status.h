#pragma once

/// Status and Result: the outcome of every fallible call of the SDK.
///
/// A Status is a value with predicates (`IsNotFound()`, `IsConflict()`, ...). Do not compare
/// message texts. The reasons are those of the Kubernetes API (meta/v1 Status,
/// https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/) plus a few
/// client-side reasons. Exceptions do not cross the library boundary.
///
/// Threads: immutable after construction. Copies may be used from any thread. An OK status
/// allocates nothing.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <capstan/export.h>

namespace capstan {

enum class StatusReason : uint8_t {
  kOk,
  // Reasons of the API server.
  kUnknown,
  kUnauthorized,
  kForbidden,
  kNotFound,
  kAlreadyExists,
  kConflict,
  kGone,
  kExpired,
  kInvalid,
  kServerTimeout,
  kTimeout,
  kTooManyRequests,
  kBadRequest,
  kMethodNotAllowed,
  kNotAcceptable,
  kRequestEntityTooLarge,
  kUnsupportedMediaType,
  kInternalError,
  kServiceUnavailable,
  // Client-side reasons.
  kCanceled,          ///< the caller's stop token was triggered
  kDeadlineExceeded,  ///< the request's timeout passed; a write may have taken effect
  kTransport,  ///< no complete response: connection refused, reset or broken; a write may have
               ///< taken effect
  kMalformed,  ///< a response, object or file that does not decode
  kInvalidArgument,  ///< an invalid flag, configuration or call
};

/// The reason's name as the API spells it ("NotFound", "AlreadyExists", ...).
CAPSTAN_EXPORT std::string_view StatusReasonName(StatusReason reason);

class [[nodiscard]] Status;
class CAPSTAN_EXPORT Status {
 public:
  /// One entry of `details.causes` in an API Status.
  struct Cause {
    std::string reason;  ///< e.g. "FieldValueInvalid", "NamespaceTerminating"
    std::string message;
    std::string field;  ///< e.g. "spec.replicas"
  };

  /// The content of an API Status or of a client-side failure.
  struct Details {
    StatusReason reason = StatusReason::kUnknown;
    int http_code = 0;  ///< 0 if there was no HTTP response
    std::string message;
    std::string group, kind, name;
    std::vector<Cause> causes;
    std::optional<std::chrono::nanoseconds> retry_after;
    bool terminal = false;
  };

  Status() = default;  ///< OK
  explicit Status(Details details);
  Status(StatusReason reason, std::string message);

  static Status Ok() { return {}; }
  static Status InvalidArgument(std::string message) {
    return {StatusReason::kInvalidArgument, std::move(message)};
  }
  static Status Malformed(std::string message) {
    return {StatusReason::kMalformed, std::move(message)};
  }
  static Status Canceled() { return {StatusReason::kCanceled, "canceled"}; }
  /// An error that a retry cannot fix. The work queue forgets the key until something changes.
  static Status Terminal(std::string message);

  bool ok() const { return details_ == nullptr; }
  StatusReason reason() const { return details_ ? details_->reason : StatusReason::kOk; }
  int http_code() const { return details_ ? details_->http_code : 0; }
  const std::string& message() const;
  const std::vector<Cause>& causes() const;
  /// All details; null if OK.
  const Details* details() const { return details_.get(); }
  std::optional<std::chrono::nanoseconds> retry_after() const;

  bool IsNotFound() const { return reason() == StatusReason::kNotFound; }
  bool IsAlreadyExists() const { return reason() == StatusReason::kAlreadyExists; }
  bool IsConflict() const { return reason() == StatusReason::kConflict; }
  /// 410: the resourceVersion or continue token is too old (reasons Gone and Expired).
  bool IsGone() const {
    return reason() == StatusReason::kGone || reason() == StatusReason::kExpired;
  }
  bool IsInvalid() const { return reason() == StatusReason::kInvalid; }
  bool IsForbidden() const { return reason() == StatusReason::kForbidden; }
  bool IsUnauthorized() const { return reason() == StatusReason::kUnauthorized; }
  bool IsTooManyRequests() const { return reason() == StatusReason::kTooManyRequests; }
  bool IsServerTimeout() const { return reason() == StatusReason::kServerTimeout; }
  bool IsTimeout() const { return reason() == StatusReason::kTimeout; }
  bool IsCanceled() const { return reason() == StatusReason::kCanceled; }
  bool IsTransport() const {
    return reason() == StatusReason::kTransport || reason() == StatusReason::kDeadlineExceeded;
  }
  bool IsTerminal() const { return details_ && details_->terminal; }
  /// True if the causes contain `cause_reason`, e.g. "NamespaceTerminating".
  bool HasCause(std::string_view cause_reason) const;
  /// True if a write may or may not have taken effect: no response, a timeout or a 5xx.
  bool IsAmbiguous() const;

  /// "NotFound: deployments.apps \"web\" not found", or "OK".
  std::string ToString() const;
  /// Returns the same status with `context` + ": " before its message. OK stays OK.
  Status WithContext(std::string_view context) const;

 private:
  std::shared_ptr<const Details> details_;  // null = OK
};

CAPSTAN_EXPORT void AppendText(std::string& out, const Status& status);

/// A T, or the Status of the failure to produce one.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}         // NOLINT
  Result(Status status) : state_(std::in_place_index<1>, std::move(status)) {}  // NOLINT

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  Status status() const { return ok() ? Status() : std::get<1>(state_); }

  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::variant<T, Status> state_;
};

}  // namespace capstan
