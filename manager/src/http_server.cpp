#include "http_server.h"

#include <Poco/Exception.h>
#include <Poco/Net/Context.h>
#include <Poco/Net/HTTPRequestHandler.h>
#include <Poco/Net/HTTPRequestHandlerFactory.h>
#include <Poco/Net/HTTPServerParams.h>
#include <Poco/Net/HTTPServerRequest.h>
#include <Poco/Net/HTTPServerResponse.h>
#include <Poco/Net/NetSSL.h>
#include <Poco/Net/SecureServerSocket.h>
#include <Poco/Net/TCPServer.h>
#include <Poco/ThreadPool.h>
#include <Poco/Timespan.h>

#include <exception>
#include <string>
#include <utility>

#include <capstan/log/log.h>
#include <capstan/runtime/format.h>

#include "host_name.h"
#include "http_connections.h"
#include "serving_certificate.h"

namespace capstan::manager {
namespace {

// A connection holds a thread while it is open, also when it is idle: hence many threads and a
// short patience, or a few idle clients would starve a probe.
constexpr int kMinThreads = 2;
constexpr int kMaxThreads = 32;
constexpr int kMaxQueued = 64;
const Poco::Timespan kPatience(5, 0);

class Handler final : public Poco::Net::HTTPRequestHandler {
 public:
  explicit Handler(const Mux& mux) : mux_(mux) {}

  // What leaves here as another exception than POCO's would be an empty answer.
  void handleRequest(Poco::Net::HTTPServerRequest& request,
                     Poco::Net::HTTPServerResponse& response) override {
    try {
      Answer(request, response);
    } catch (const Poco::Exception& error) {
      LogV(4, "Serving a request failed", {{"err", error.displayText()}});
    } catch (const std::exception& error) {
      LogV(4, "Serving a request failed", {{"err", error.what()}});
    }
  }

 private:
  void Answer(Poco::Net::HTTPServerRequest& request, Poco::Net::HTTPServerResponse& response) {
    auto parsed = ParseTarget(request.getMethod(), request.getURI());
    const ServerResponse answer =
        parsed ? mux_.Serve(*parsed) : ServerResponse{.status = 400, .body = "bad request\n"};
    // No page reads a body, and one that is left unread would be taken for the next request.
    if (request.hasContentLength() || request.getChunkedTransferEncoding()) {
      response.setKeepAlive(false);
    }
    response.setStatusAndReason(static_cast<Poco::Net::HTTPResponse::HTTPStatus>(answer.status));
    response.setContentType(answer.content_type);
    response.set("X-Content-Type-Options", "nosniff");
    response.set("Cache-Control", "no-cache, private");
    response.setContentLength64(static_cast<Poco::Int64>(answer.body.size()));
    std::ostream& out = response.send();
    if (request.getMethod() != Poco::Net::HTTPRequest::HTTP_HEAD) out << answer.body;
    out.flush();
  }

  const Mux& mux_;
};

class HandlerFactory final : public Poco::Net::HTTPRequestHandlerFactory {
 public:
  explicit HandlerFactory(const Mux& mux) : mux_(mux) {}
  Poco::Net::HTTPRequestHandler* createRequestHandler(
      const Poco::Net::HTTPServerRequest&) override {
    return new Handler(mux_);  // POCO takes it
  }

 private:
  const Mux& mux_;
};

Result<Poco::Net::Context::Ptr> NewContext(const ServingOptions& options) {
  Poco::Net::Context::Ptr context = NewServerContext();
  const Status status = options.tls_cert_file.empty()
                            ? UseSelfSignedCertificate(context->sslContext(), HostName())
                            : UseCertificateFiles(context->sslContext(), options.tls_cert_file,
                                                  options.tls_private_key_file);
  if (!status.ok()) return status;
  return context;
}

Poco::Net::HTTPServerParams::Ptr NewParams() {
  Poco::Net::HTTPServerParams::Ptr params(new Poco::Net::HTTPServerParams);
  params->setMaxThreads(kMaxThreads);
  params->setMaxQueued(kMaxQueued);
  params->setTimeout(kPatience);
  params->setKeepAlive(true);
  params->setKeepAliveTimeout(kPatience);
  params->setMaxKeepAliveRequests(100);
  params->setSoftwareVersion("");
  return params;
}

}  // namespace

struct HttpsServer::Impl {
  Impl(const Poco::Net::SecureServerSocket& socket, const Mux& mux)
      : pool("https", kMinThreads, kMaxThreads),
        params(NewParams()),
        server(connections.NewFactory(params, new HandlerFactory(mux)), pool, socket, params),
        port(socket.address().port()) {}

  HttpConnections connections;
  Poco::ThreadPool pool;
  const Poco::Net::HTTPServerParams::Ptr params;
  Poco::Net::TCPServer server;
  int port;
};

HttpsServer::HttpsServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpsServer::~HttpsServer() {
  impl_->server.stop();
  impl_->connections.ShutDown();
  impl_->pool.joinAll();
}

int HttpsServer::port() const { return impl_->port; }

Result<std::unique_ptr<HttpsServer>> HttpsServer::Start(const ServingOptions& options,
                                                        const Mux& mux) {
  const std::string& host = options.bind_address;
  const std::string address =
      Format(host.find(':') == std::string::npos ? "{}:{}" : "[{}]:{}", host, options.secure_port);
  try {
    Poco::Net::initializeSSL();
    auto context = NewContext(options);
    if (!context) return context.status();
    const auto port = static_cast<Poco::UInt16>(options.secure_port < 0 ? 0 : options.secure_port);
    Poco::Net::SecureServerSocket socket(*context);
    // Not SO_REUSEPORT, which POCO sets by itself: two managers would share a port unawares.
    socket.bind(Poco::Net::SocketAddress(host, port), true, false);
    socket.listen(kMaxQueued);
    auto impl = std::make_unique<Impl>(socket, mux);
    impl->server.start();
    LogInfo("Serving securely", {{"address", address}});
    return std::unique_ptr<HttpsServer>(new HttpsServer(std::move(impl)));
  } catch (const Poco::Exception& error) {
    return Status::InvalidArgument("can not serve on " + address + ": " + error.displayText());
  } catch (const std::exception& error) {
    return Status::InvalidArgument("can not serve on " + address + ": " + error.what());
  }
}

}  // namespace capstan::manager
