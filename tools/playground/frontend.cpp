#include "playground/frontend.h"

#include <openssl/ssl.h>

#include <chrono>
#include <stop_token>
#include <utility>

#include <capstan/runtime/format.h>
#include <capstan/runtime/runtime.h>

#include "base/http/http_listener.h"
#include "base/http/server_stream.h"
#include "base/http/socket_address.h"
#include "base/text/url_text.h"
#include "base/tls/server_context.h"
#include "playground/exchange.h"
#include "playground/watch_threads.h"

namespace capstan::playground {
namespace {

http::ServingLimits LimitsOf(const FrontendOptions& options) {
  http::ServingLimits limits;
  limits.io_timeout = std::chrono::seconds(30);
  // Longer than clients keep idle connections, so that a connection is not closed while it is
  // reused.
  limits.idle = std::chrono::seconds(120);
  limits.connections = options.max_watches + 512;
  limits.threads = 32;
  // As in kube-apiserver, refused requests are answered by the handler, not by the listener.
  limits.request = {.line = 32 << 10,
                    .head = 128 << 10,
                    .headers = 200,
                    .body = options.max_body,
                    .needs_length = false,
                    .decodes_target = false,
                    .handler_refuses = true};
  return limits;
}

Result<http::HttpListener::NewStream> StreamsOf(const FrontendOptions& options) {
  if (!options.identity) {
    return http::HttpListener::NewStream(
        [](int socket, const std::string&) { return std::make_unique<http::PlainStream>(socket); });
  }
  auto context = tls::NewServerContext(TLS1_2_VERSION, tls::kDefaultCiphers);
  if (!context) return context.status();
  if (Status used = UseIdentity(context->get(), *options.identity); !used.ok()) return used;
  return http::HttpListener::NewStream(
      [context = *std::move(context)](int socket, std::string local_address) {
        return std::make_unique<http::TlsStream>(context.get(), socket, std::move(local_address));
      });
}

// Returns the address that clients can use for a listener on any address.
std::string Reachable(const std::string& bind_address) {
  if (bind_address == "0.0.0.0") return "127.0.0.1";
  if (bind_address == "::") return "::1";
  return bind_address;
}

}  // namespace

struct Frontend::Impl {
  Impl(const FrontendOptions& options, testing::ApiServer& server)
      : options(options),
        watches(SystemRuntime(), options.max_watches),
        context{server, watches, options.identity ? options.identity->token : "", options.max_body,
                stop.get_token()} {}

  const FrontendOptions options;
  std::stop_source stop;
  WatchThreads watches;
  ExchangeContext context;
  int port = 0;
  std::unique_ptr<http::HttpListener> listener;
};

Frontend::Frontend(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Frontend::~Frontend() { Close(); }

void Frontend::Close() {
  impl_->stop.request_stop();
  impl_->watches.Stop();
  impl_->listener.reset();
}

int Frontend::port() const { return impl_->port; }

std::string Frontend::Url() const {
  return Format("{}://{}", impl_->options.identity ? "https" : "http",
                text::HostAndPort(Reachable(impl_->options.bind_address), impl_->port));
}

Result<std::unique_ptr<Frontend>> Frontend::Open(const FrontendOptions& options,
                                                 testing::ApiServer& server) {
  auto streams = StreamsOf(options);
  if (!streams) return streams.status();
  auto impl = std::make_unique<Impl>(options, server);
  auto listener =
      http::HttpListener::Start({.name = "frontend",
                                 .bind_address = options.bind_address,
                                 .port = options.port,
                                 .new_stream = *std::move(streams),
                                 .handler =
                                     [raw = impl.get()](const http::ServerRequest& request) {
                                       return Exchange(raw->context, request);
                                     },
                                 .limits = LimitsOf(options)});
  if (!listener) return listener.status();
  impl->listener = *std::move(listener);
  impl->port = impl->listener->port();
  return std::unique_ptr<Frontend>(new Frontend(std::move(impl)));
}

}  // namespace capstan::playground
