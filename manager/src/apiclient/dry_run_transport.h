#pragma once

/// DryRunTransport: a Transport that changes nothing on the server (--dry-run).
///
/// Reads are passed to the inner transport. A write is logged and not sent. It is answered as if it
/// had succeeded, so that the caller continues:
/// - a create: the object as sent, with a generated name (from generateName) and UID, and
///   resourceVersion "0"
/// - a patch: the current object, or the server's 404
/// - an update: the object as sent
/// - a delete: a Status Success
///
/// POST requests that change nothing (token and access reviews, tokens of service accounts) are
/// passed on.
///
/// Threads: as Transport. `inner` is owned.

#include <atomic>
#include <cstdint>
#include <memory>

#include <capstan/client/transport.h>

namespace capstan::manager {

class DryRunTransport final : public Transport {
 public:
  explicit DryRunTransport(std::shared_ptr<Transport> inner) : inner_(std::move(inner)) {}

  Result<std::unique_ptr<HttpResponse>> RoundTrip(const HttpRequest& request,
                                                  std::stop_token stop) override;

 private:
  Result<std::unique_ptr<HttpResponse>> Create(const HttpRequest& request);
  /// Reads the object of a patch with a GET.
  Result<std::unique_ptr<HttpResponse>> Current(const HttpRequest& request, std::stop_token stop);

  const std::shared_ptr<Transport> inner_;
  std::atomic<uint64_t> made_up_{0};
};

}  // namespace capstan::manager
