#pragma once

/// DryRunTransport: a Transport through which nothing is changed (--dry-run).
///
/// What reads goes through. A write is logged and not sent, and answered as if it had been done, so
/// that whoever plans goes on with the plan: a create with the object as sent, with a made-up name
/// (from generateName) and UID and resourceVersion "0"; a patch with the object as it is, or the
/// server's 404; a replacement with the object as sent; a delete with a Status Success. Requests
/// that only ask although they are POSTs (token and access reviews, tokens of service accounts) go
/// through.
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
  /// The object that a patch is for, by a GET.
  Result<std::unique_ptr<HttpResponse>> Current(const HttpRequest& request, std::stop_token stop);

  const std::shared_ptr<Transport> inner_;
  std::atomic<uint64_t> made_up_{0};
};

}  // namespace capstan::manager
