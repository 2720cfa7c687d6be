#pragma once

/// HttpListener: accepts connections and answers their requests with a handler.
///
/// One thread does all socket I/O and never blocks, so a slow client costs a socket and some
/// memory but no thread. RequestWorkers answer complete requests. A response may be a stream, which
/// is still written after the handler has returned (body_stream.h). The limits are in
/// serving_limits.h. The choice of clients under overload is in fair_choice.h.
///
/// Threads: the listener starts its own threads, outside of the Runtime's scheduling of
/// controllers. Several threads may call the handler at the same time.

#include <sys/socket.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <capstan/runtime/mutex.h>
#include <capstan/runtime/runtime.h>
#include <capstan/runtime/status.h>

#include "base/http/mux.h"
#include "base/http/request_workers.h"
#include "base/http/server_connection.h"
#include "base/http/serving_limits.h"
#include "base/io/unique_fd.h"

namespace capstan::http {

class HttpListener {
 public:
  /// Creates the server stream of a new connection. Called only by the listener's thread.
  using NewStream =
      std::function<std::unique_ptr<ServerStream>(int socket, std::string local_address)>;

  struct Config {
    std::string name;  ///< name of the threads
    std::string bind_address;
    int port = 0;  ///< -1: the system chooses a port
    NewStream new_stream;
    Mux::Handler handler;
    ServingLimits limits = {};
  };
  /// Binds and serves until destroyed. The error names the address and the reason.
  static Result<std::unique_ptr<HttpListener>> Start(Config config);
  /// Waits for running handlers. Their responses are not sent.
  ~HttpListener();
  HttpListener(const HttpListener&) = delete;
  HttpListener& operator=(const HttpListener&) = delete;

  int port() const { return port_; }

 private:
  /// Collects the ids of connections whose stream has more to send. Writers may still use it after
  /// the listener is destroyed.
  class Inbox {
   public:
    Inbox();
    int event() const { return event_.get(); }
    bool valid() const { return event_.valid(); }
    void Add(uint64_t id);
    void Wake() const;
    std::set<uint64_t> Take();

   private:
    const io::UniqueFd event_;
    Mutex mutex_;
    std::set<uint64_t> ids_ CAPSTAN_GUARDED_BY(mutex_);
  };
  struct Finished {
    uint64_t id;
    ServerResponse response;
  };
  struct Entry {
    std::unique_ptr<ServerConnection> connection;
    uint32_t events = 0;  // the event mask registered with epoll
  };
  using Connections = std::map<uint64_t, Entry>;

  explicit HttpListener(Config config);
  Status Open();

  void Run();
  int WaitMillis(MonotonicTime now) const;
  void OnEvent(uint64_t id, uint32_t events, MonotonicTime now);
  void Accept(MonotonicTime now);
  bool AcceptOne(MonotonicTime now);
  void PauseAccepting(MonotonicTime now);
  bool MakeRoom(const ClientOrigin& newcomer);
  void AddConnection(io::UniqueFd socket, ServerConnection::Client client, MonotonicTime now);
  /// Called after a connection advanced: passes its request to a worker, closes it, or waits for
  /// its socket.
  void Settle(Connections::iterator entry, MonotonicTime now);
  void Serve(uint64_t id, ServerConnection& connection, MonotonicTime now);
  /// Called by a worker.
  void Finish(uint64_t id, ServerResponse response);
  void Close(Connections::iterator entry);
  void CloseExpired(MonotonicTime now);
  void TakeFinished(MonotonicTime now);
  void TakeStreamed(MonotonicTime now);

  const Config config_;
  io::UniqueFd listening_;
  io::UniqueFd poll_;
  const std::shared_ptr<Inbox> inbox_ = std::make_shared<Inbox>();
  int port_ = 0;

  // Used only by the listener's thread.
  Connections connections_;
  uint64_t next_id_;
  MonotonicTime accepts_again_ = MonotonicTime::max();  // max: accepting is not paused

  Mutex mutex_;
  bool stopping_ CAPSTAN_GUARDED_BY(mutex_) = false;
  std::vector<Finished> finished_ CAPSTAN_GUARDED_BY(mutex_);

  std::unique_ptr<RequestWorkers> workers_;
  std::unique_ptr<Thread> thread_;  // declared last: it uses all other members
};

}  // namespace capstan::http
