#include "playground/http_connections.h"

#include <Poco/Net/HTTPServerConnection.h>
#include <sys/socket.h>

#include <utility>

namespace capstan::playground {
namespace {

class Connection final : public Poco::Net::HTTPServerConnection {
 public:
  Connection(const Poco::Net::StreamSocket& socket, Poco::Net::HTTPServerParams::Ptr params,
             Poco::Net::HTTPRequestHandlerFactory::Ptr handlers, HttpConnections& connections)
      : HTTPServerConnection(socket, std::move(params), std::move(handlers)),
        connections_(connections),
        descriptor_(socket.impl()->sockfd()) {
    connections_.Add(descriptor_);
  }
  // The base class, which holds the socket, goes after this.
  ~Connection() override { connections_.Remove(descriptor_); }

 private:
  HttpConnections& connections_;
  const int descriptor_;
};

class ConnectionFactory final : public Poco::Net::TCPServerConnectionFactory {
 public:
  ConnectionFactory(Poco::Net::HTTPServerParams::Ptr params,
                    Poco::Net::HTTPRequestHandlerFactory::Ptr handlers,
                    HttpConnections& connections)
      : params_(std::move(params)), handlers_(std::move(handlers)), connections_(connections) {}

  Poco::Net::TCPServerConnection* createConnection(const Poco::Net::StreamSocket& socket) override {
    return new Connection(socket, params_, handlers_, connections_);  // POCO takes it
  }

 private:
  const Poco::Net::HTTPServerParams::Ptr params_;
  const Poco::Net::HTTPRequestHandlerFactory::Ptr handlers_;
  HttpConnections& connections_;
};

}  // namespace

Poco::Net::TCPServerConnectionFactory::Ptr HttpConnections::NewFactory(
    Poco::Net::HTTPServerParams::Ptr params, Poco::Net::HTTPRequestHandlerFactory::Ptr handlers) {
  return new ConnectionFactory(std::move(params), std::move(handlers), *this);
}

void HttpConnections::ShutDown() {
  MutexLock lock(mutex_);
  closed_ = true;
  for (const int socket : sockets_) shutdown(socket, SHUT_RDWR);
}

void HttpConnections::Add(int socket) {
  MutexLock lock(mutex_);
  if (closed_) {
    shutdown(socket, SHUT_RDWR);
  } else {
    sockets_.insert(socket);
  }
}

void HttpConnections::Remove(int socket) {
  MutexLock lock(mutex_);
  sockets_.erase(socket);
}

}  // namespace capstan::playground
