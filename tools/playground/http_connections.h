#pragma once

/// HttpConnections: the sockets of a listener that are open, so that closing it ends them.
///
/// They are shut down below TLS: what POCO does at the end of a server (a TLS shutdown by the
/// thread that closes it) races with the thread that serves the connection.
///
/// Threads: all methods may be called from any thread.

#include <set>

#include <Poco/Net/HTTPRequestHandlerFactory.h>
#include <Poco/Net/HTTPServerParams.h>
#include <Poco/Net/TCPServerConnectionFactory.h>

#include <capstan/runtime/mutex.h>

namespace capstan::playground {

class HttpConnections {
 public:
  /// Ends all connections, and from now on each new one.
  void ShutDown();

  /// Makes HTTP connections that are known here. `this` outlives them.
  Poco::Net::TCPServerConnectionFactory::Ptr NewFactory(
      Poco::Net::HTTPServerParams::Ptr params, Poco::Net::HTTPRequestHandlerFactory::Ptr handlers);

  /// For a connection: while it is between the two, its socket is open.
  void Add(int socket);
  void Remove(int socket);

 private:
  Mutex mutex_;
  bool closed_ CAPSTAN_GUARDED_BY(mutex_) = false;
  std::set<int> sockets_ CAPSTAN_GUARDED_BY(mutex_);
};

}  // namespace capstan::playground
