#include "process/http_server.h"

#include <utility>

#include <capstan/log/log.h>
#include <capstan/runtime/runtime.h>

#include "base/http/http_listener.h"
#include "base/http/server_stream.h"
#include "base/http/socket_address.h"
#include "base/io/host_name.h"
#include "base/text/url_text.h"
#include "tls/serving_certificates.h"
#include "tls/serving_tls.h"

namespace capstan::manager {

HttpsServer::HttpsServer(std::unique_ptr<ServingCertificates> certificates,
                         std::unique_ptr<http::HttpListener> listener)
    : certificates_(std::move(certificates)), listener_(std::move(listener)) {}

HttpsServer::~HttpsServer() = default;

int HttpsServer::port() const { return listener_->port(); }

Result<std::unique_ptr<HttpsServer>> HttpsServer::Start(const ServingOptions& options,
                                                        http::Mux::Handler handler,
                                                        const http::ServingLimits& limits) {
  auto certificates = ServingCertificates::Load(options, io::HostName());
  if (!certificates) return certificates.status();
  ServingCertificates* const current = certificates->get();
  auto context = NewServingContext(options.tls_min_version, options.tls_cipher_suites, *current);
  if (!context) return context.status();
  auto listener = http::HttpListener::Start(
      {.name = "https",
       .bind_address = options.bind_address,
       .port = options.secure_port,
       .new_stream =
           [current, context = *std::move(context)](int socket, std::string local_address) {
             current->Refresh(SystemRuntime().Now());
             return std::make_unique<http::TlsStream>(context.get(), socket,
                                                      std::move(local_address));
           },
       .handler = std::move(handler),
       .limits = limits});
  if (!listener) return listener.status();
  LogInfo("Serving securely",
          {{"address", text::HostAndPort(options.bind_address, (*listener)->port())}});
  return std::unique_ptr<HttpsServer>(
      new HttpsServer(*std::move(certificates), *std::move(listener)));
}

HttpServer::HttpServer(std::unique_ptr<http::HttpListener> listener)
    : listener_(std::move(listener)) {}

HttpServer::~HttpServer() = default;

int HttpServer::port() const { return listener_->port(); }

Result<std::unique_ptr<HttpServer>> HttpServer::Start(const std::string& name,
                                                      const std::string& bind_address, int port,
                                                      http::Mux::Handler handler,
                                                      const http::ServingLimits& limits) {
  auto listener = http::HttpListener::Start(
      {.name = name,
       .bind_address = bind_address,
       .port = port,
       .new_stream = [](int socket,
                        std::string) { return std::make_unique<http::PlainStream>(socket); },
       .handler = std::move(handler),
       .limits = limits});
  if (!listener) return listener.status();
  LogInfo("Serving insecurely",
          {{"listener", name}, {"address", text::HostAndPort(bind_address, (*listener)->port())}});
  return std::unique_ptr<HttpServer>(new HttpServer(*std::move(listener)));
}

}  // namespace capstan::manager
