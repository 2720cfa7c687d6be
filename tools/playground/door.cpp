#include "playground/door.h"

#include <Poco/Exception.h>
#include <Poco/Net/Context.h>
#include <Poco/Net/HTTPRequestHandler.h>
#include <Poco/Net/HTTPRequestHandlerFactory.h>
#include <Poco/Net/HTTPServerParams.h>
#include <Poco/Net/HTTPServerRequestImpl.h>
#include <Poco/Net/NetSSL.h>
#include <Poco/Net/SecureServerSocket.h>
#include <Poco/Net/TCPServer.h>
#include <Poco/ThreadPool.h>
#include <Poco/Timespan.h>

#include <exception>
#include <utility>

#include <capstan/log/log.h>
#include <capstan/runtime/format.h>

#include "playground/exchange.h"
#include "playground/http_connections.h"

namespace capstan::playground {
namespace {

// A connection holds a thread while it is open, and a watch is open all the time.
constexpr int kMinThreads = 4;
constexpr int kMaxThreads = 512;
constexpr int kMaxQueued = 128;
const Poco::Timespan kPatience(10, 0);
const Poco::Timespan kSendPatience(30, 0);
// Longer than clients keep an idle connection, which then is not closed just when it is used.
const Poco::Timespan kKeepAlive(120, 0);

class Handler final : public Poco::Net::HTTPRequestHandler {
 public:
  explicit Handler(ExchangeContext& context) : context_(context) {}

  // What leaves here as another exception than POCO's would be an empty answer.
  void handleRequest(Poco::Net::HTTPServerRequest& request,
                     Poco::Net::HTTPServerResponse& response) override {
    try {
      Poco::Net::StreamSocket& socket =
          dynamic_cast<Poco::Net::HTTPServerRequestImpl&>(request).socket();
      // A client that does not read holds the thread no longer than this.
      socket.setSendTimeout(kSendPatience);
      Exchange(context_, request, response, socket);
    } catch (const Poco::Exception& error) {
      LogV(4, "Serving a request failed", {{"err", error.displayText()}});
      response.setKeepAlive(false);
    } catch (const std::exception& error) {
      LogV(4, "Serving a request failed", {{"err", error.what()}});
      response.setKeepAlive(false);
    }
  }

 private:
  ExchangeContext& context_;
};

class HandlerFactory final : public Poco::Net::HTTPRequestHandlerFactory {
 public:
  explicit HandlerFactory(ExchangeContext& context) : context_(context) {}
  Poco::Net::HTTPRequestHandler* createRequestHandler(
      const Poco::Net::HTTPServerRequest&) override {
    return new Handler(context_);  // POCO takes it
  }

 private:
  ExchangeContext& context_;
};

Result<Poco::Net::Context::Ptr> NewContext(const Identity& identity) {
  Poco::Net::Context::Params params;
  params.verificationMode = Poco::Net::Context::VERIFY_NONE;
  params.cipherList = "ECDHE+AESGCM:ECDHE+CHACHA20";
  Poco::Net::Context::Ptr context(
      new Poco::Net::Context(Poco::Net::Context::TLS_SERVER_USE, params));
  context->requireMinimumProtocol(Poco::Net::Context::PROTO_TLSV1_2);
  if (Status status = UseIdentity(context->sslContext(), identity); !status.ok()) return status;
  return context;
}

Poco::Net::HTTPServerParams::Ptr NewParams() {
  Poco::Net::HTTPServerParams::Ptr params(new Poco::Net::HTTPServerParams);
  params->setMaxThreads(kMaxThreads);
  params->setMaxQueued(kMaxQueued);
  params->setTimeout(kPatience);
  params->setKeepAlive(true);
  params->setKeepAliveTimeout(kKeepAlive);
  params->setMaxKeepAliveRequests(0);
  params->setSoftwareVersion("");
  return params;
}

template <class Socket>
Socket Listen(Socket socket, const DoorOptions& options) {
  // Not SO_REUSEPORT, which POCO sets by itself: two servers would share a port unawares.
  socket.bind(
      Poco::Net::SocketAddress(options.bind_address, static_cast<Poco::UInt16>(options.port)), true,
      false);
  socket.listen(kMaxQueued);
  return socket;
}

std::string HostAndPort(const std::string& host, int port) {
  return Format(host.find(':') == std::string::npos ? "{}:{}" : "[{}]:{}", host, port);
}

// Where clients find what listens on any address.
std::string Reachable(const std::string& bind_address) {
  if (bind_address == "0.0.0.0") return "127.0.0.1";
  if (bind_address == "::") return "::1";
  return bind_address;
}

}  // namespace

struct Door::Impl {
  Impl(const DoorOptions& options, testing::ApiServer& server, Poco::Net::ServerSocket socket)
      : options(options),
        port(socket.address().port()),
        monitor(SystemRuntime()),
        context{server, monitor, options.identity ? options.identity->token : "", options.max_body,
                stop.get_token()},
        pool("door", kMinThreads, kMaxThreads),
        params(NewParams()),
        listener(connections.NewFactory(params, new HandlerFactory(context)), pool, socket,
                 params) {}

  const DoorOptions options;
  const int port;
  std::stop_source stop;
  HangupMonitor monitor;
  ExchangeContext context;
  HttpConnections connections;
  Poco::ThreadPool pool;
  const Poco::Net::HTTPServerParams::Ptr params;
  Poco::Net::TCPServer listener;
};

Door::Door(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Door::~Door() { Close(); }

void Door::Close() {
  impl_->stop.request_stop();
  impl_->listener.stop();
  impl_->connections.ShutDown();
  impl_->pool.joinAll();
}

int Door::port() const { return impl_->port; }

std::string Door::Url() const {
  return Format("{}://{}", impl_->options.identity ? "https" : "http",
                HostAndPort(Reachable(impl_->options.bind_address), impl_->port));
}

Result<std::unique_ptr<Door>> Door::Open(const DoorOptions& options, testing::ApiServer& server) {
  const auto failure = [&options](const std::string& why) {
    return Status::InvalidArgument(
        Format("cannot serve on {}: {}", HostAndPort(options.bind_address, options.port), why));
  };
  try {
    std::unique_ptr<Impl> impl;
    if (options.identity) {
      Poco::Net::initializeSSL();
      auto context = NewContext(*options.identity);
      if (!context) return context.status();
      impl = std::make_unique<Impl>(options, server,
                                    Listen(Poco::Net::SecureServerSocket(*context), options));
    } else {
      impl = std::make_unique<Impl>(options, server, Listen(Poco::Net::ServerSocket(), options));
    }
    impl->listener.start();
    return std::unique_ptr<Door>(new Door(std::move(impl)));
  } catch (const Poco::Exception& error) {
    return failure(error.displayText());
  } catch (const std::exception& error) {
    return failure(error.what());
  }
}

}  // namespace capstan::playground
