#include "base/http/http_listener.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <system_error>
#include <utility>

#include <capstan/log/log.h>
#include <capstan/runtime/format.h>

#include "base/http/socket_address.h"
#include "base/text/url_text.h"

namespace capstan::http {
namespace {

constexpr uint64_t kListening = 0;
constexpr uint64_t kWake = 1;
constexpr uint64_t kFirstConnection = 2;
constexpr int kAcceptsATurn = 32;
/// How long accepting pauses when the process has no free file descriptors.
constexpr Duration kAcceptPause = std::chrono::milliseconds(100);

using Phase = ServerConnection::Phase;

Status OpenFailure(const char* what) {
  return Status::InvalidArgument(Format("{}: {}", what, std::generic_category().message(errno)));
}

bool WatchSocket(int poll, int operation, int socket, uint64_t id, uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = id;
  return epoll_ctl(poll, operation, socket, &event) == 0;
}

ServerResponse HandlerFailed(const ServerRequest& request, const char* why) {
  LogError(Status(StatusReason::kInternalError, why), "Request handler failed",
           {{"path", request.path}});
  return {.status = 500, .body = "internal server error\n"};
}

ServerResponse CallHandler(const Mux::Handler& handler, const ServerRequest& request) {
  try {
    return handler(request);
  } catch (const std::exception& error) {
    return HandlerFailed(request, error.what());
  } catch (...) {
    return HandlerFailed(request, "it threw an exception that is not a std::exception");
  }
}

}  // namespace

HttpListener::HttpListener(Config config)
    : config_(std::move(config)), next_id_(kFirstConnection) {}

Result<std::unique_ptr<HttpListener>> HttpListener::Start(Config config) {
  std::unique_ptr<HttpListener> listener(new HttpListener(std::move(config)));
  const Config& made = listener->config_;
  const auto failed = [&](const std::string& why) {
    return Status::InvalidArgument(
        Format("cannot serve on {}: {}", text::HostAndPort(made.bind_address, made.port), why));
  };
  if (Status status = listener->Open(); !status.ok()) return failed(status.message());
  try {
    listener->workers_ = std::make_unique<RequestWorkers>(
        SystemRuntime(), made.name, made.limits.threads, made.limits.local_threads,
        [raw = listener.get()](uint64_t id, ServerResponse response) {
          raw->Finish(id, std::move(response));
        });
    listener->thread_ = SystemRuntime().Start(made.name, [raw = listener.get()] { raw->Run(); });
  } catch (const std::system_error& error) {
    return failed(error.what());
  }
  return listener;
}

Status HttpListener::Open() {
  auto listening = ListenOn(config_.bind_address, std::max(config_.port, 0));
  if (!listening) return listening.status();
  listening_ = *std::move(listening);
  port_ = PortOf(LocalAddress(listening_.get()));
  poll_ = io::UniqueFd(epoll_create1(EPOLL_CLOEXEC));
  if (!poll_.valid() || !inbox_->valid() ||
      !WatchSocket(poll_.get(), EPOLL_CTL_ADD, listening_.get(), kListening, EPOLLIN) ||
      !WatchSocket(poll_.get(), EPOLL_CTL_ADD, inbox_->event(), kWake, EPOLLIN)) {
    return OpenFailure("epoll");
  }
  return Status::Ok();
}

HttpListener::~HttpListener() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
  }
  inbox_->Wake();
  if (thread_) thread_->Join();
  workers_.reset();
}

HttpListener::Inbox::Inbox() : event_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

void HttpListener::Inbox::Wake() const {
  const uint64_t one = 1;
  // The write fails only if the counter is full. A wake-up is pending then.
  [[maybe_unused]] const ssize_t written = write(event_.get(), &one, sizeof(one));
}

void HttpListener::Inbox::Add(uint64_t id) {
  {
    MutexLock lock(mutex_);
    ids_.insert(id);
  }
  Wake();
}

std::set<uint64_t> HttpListener::Inbox::Take() {
  MutexLock lock(mutex_);
  return std::exchange(ids_, {});
}

void HttpListener::Run() {
  std::array<epoll_event, 64> events;
  while (true) {
    {
      // Checked after the wake-ups have been read: one of them may be the destructor's.
      MutexLock lock(mutex_);
      if (stopping_) break;
    }
    const int count = epoll_wait(poll_.get(), events.data(), static_cast<int>(events.size()),
                                 WaitMillis(SystemRuntime().Now()));
    const MonotonicTime now = SystemRuntime().Now();
    for (int i = 0; i < count; ++i) OnEvent(events[i].data.u64, events[i].events, now);
    TakeFinished(now);
    TakeStreamed(now);
    CloseExpired(now);
  }
  connections_.clear();
}

int HttpListener::WaitMillis(MonotonicTime now) const {
  MonotonicTime next = accepts_again_;
  for (const auto& [id, entry] : connections_) next = std::min(next, entry.connection->deadline());
  if (next == MonotonicTime::max()) return -1;
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(next - now).count();
  return static_cast<int>(std::clamp<int64_t>(wait, 0, 3'600'000));
}

void HttpListener::OnEvent(uint64_t id, uint32_t events, MonotonicTime now) {
  if (id == kListening) return Accept(now);
  if (id == kWake) {
    uint64_t count = 0;
    [[maybe_unused]] const ssize_t size = read(inbox_->event(), &count, sizeof(count));
    return;
  }
  const auto entry = connections_.find(id);
  if (entry == connections_.end()) return;  // an earlier event has closed it
  ServerConnection& connection = *entry->second.connection;
  const bool is_gone = (events & (EPOLLHUP | EPOLLERR)) != 0;
  if (connection.phase() == Phase::kServing) {
    // While a request is being answered, only the loss of the client matters.
    if (is_gone) Close(entry);
    return;
  }
  // Closes a stream if the client has closed its sending side. The stream may never end by itself.
  if (connection.phase() == Phase::kStreaming && (is_gone || (events & EPOLLRDHUP) != 0)) {
    return Close(entry);
  }
  connection.Advance(now);
  Settle(entry, now);
}

void HttpListener::Accept(MonotonicTime now) {
  for (int i = 0; i < kAcceptsATurn; ++i) {
    if (!AcceptOne(now)) return;
  }
}

bool HttpListener::AcceptOne(MonotonicTime now) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  io::UniqueFd socket(accept4(listening_.get(), reinterpret_cast<sockaddr*>(&address), &size,
                              SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!socket.valid()) {
    if (errno == EAGAIN || errno == EWOULDBLOCK) return false;
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      PauseAccepting(now);
      return false;
    }
    return true;  // the client disconnected before the connection was accepted
  }
  const int on = 1;
  setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  setsockopt(socket.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  ServerConnection::Client client{text::HostAndPort(AddressOf(address), PortOf(address)),
                                  OriginOf(address)};
  if (MakeRoom(client.origin)) AddConnection(std::move(socket), std::move(client), now);
  return true;
}

void HttpListener::PauseAccepting(MonotonicTime now) {
  LogError(OpenFailure("accept"), "Pausing new connections", {{"listener", config_.name}});
  accepts_again_ = now + kAcceptPause;
  WatchSocket(poll_.get(), EPOLL_CTL_MOD, listening_.get(), kListening, 0);
}

bool HttpListener::MakeRoom(const ClientOrigin& newcomer) {
  if (connections_.size() < config_.limits.connections) return true;
  std::vector<OpenConnection> open;
  open.reserve(connections_.size());
  for (const auto& [id, entry] : connections_) {
    const ServerConnection& connection = *entry.connection;
    const Phase phase = connection.phase();
    open.push_back({.id = id,
                    .origin = connection.client().origin,
                    .is_idle = phase == Phase::kIdle || phase == Phase::kDraining,
                    .is_busy = phase == Phase::kServing || phase == Phase::kStreaming,
                    .since = connection.since()});
  }
  const auto victim = ConnectionToClose(open, newcomer);
  if (!victim) return false;
  Close(connections_.find(*victim));
  return true;
}

void HttpListener::AddConnection(io::UniqueFd socket, ServerConnection::Client client,
                                 MonotonicTime now) {
  const int fd = socket.get();
  auto stream = config_.new_stream(fd, AddressOf(LocalAddress(fd)));
  const uint64_t id = next_id_++;
  if (!WatchSocket(poll_.get(), EPOLL_CTL_ADD, fd, id, EPOLLIN)) return;
  auto connection = std::make_unique<ServerConnection>(std::move(socket), std::move(stream),
                                                       std::move(client), config_.limits, now);
  const auto entry =
      connections_.emplace(id, Entry{.connection = std::move(connection), .events = EPOLLIN});
  entry.first->second.connection->Advance(now);
  Settle(entry.first, now);
}

void HttpListener::Settle(Connections::iterator entry, MonotonicTime now) {
  ServerConnection& connection = *entry->second.connection;
  if (connection.phase() == Phase::kClosed) return Close(entry);
  if (connection.phase() == Phase::kReady) Serve(entry->first, connection, now);
  const uint32_t events =
      (connection.WantsRead() ? EPOLLIN : 0U) | (connection.WantsWrite() ? EPOLLOUT : 0U) |
      (connection.phase() == Phase::kStreaming ? static_cast<uint32_t>(EPOLLRDHUP) : 0U);
  if (events == entry->second.events) return;
  entry->second.events = events;
  if (!WatchSocket(poll_.get(), EPOLL_CTL_MOD, connection.socket(), entry->first, events))
    Close(entry);
}

void HttpListener::Serve(uint64_t id, ServerConnection& connection, MonotonicTime now) {
  auto request = std::make_shared<const ServerRequest>(connection.TakeRequest(now));
  workers_->Add(id, connection.client().origin, [this, request = std::move(request)] {
    return CallHandler(config_.handler, *request);
  });
}

void HttpListener::Finish(uint64_t id, ServerResponse response) {
  {
    MutexLock lock(mutex_);
    finished_.push_back({id, std::move(response)});
  }
  inbox_->Wake();
}

void HttpListener::Close(Connections::iterator entry) {
  if (entry->second.connection->phase() == Phase::kServing) workers_->Drop(entry->first);
  connections_.erase(entry);  // closing a socket removes it from epoll
}

void HttpListener::CloseExpired(MonotonicTime now) {
  for (auto entry = connections_.begin(); entry != connections_.end();) {
    const auto next = std::next(entry);
    if (entry->second.connection->deadline() <= now) {
      LogV(4, "Connection timed out",
           {{"listener", config_.name}, {"client", entry->second.connection->client().address}});
      Close(entry);
    }
    entry = next;
  }
  if (accepts_again_ <= now) {
    accepts_again_ = MonotonicTime::max();
    WatchSocket(poll_.get(), EPOLL_CTL_MOD, listening_.get(), kListening, EPOLLIN);
  }
}

void HttpListener::TakeFinished(MonotonicTime now) {
  std::vector<Finished> finished;
  {
    MutexLock lock(mutex_);
    finished.swap(finished_);
  }
  for (Finished& one : finished) {
    const auto entry = connections_.find(one.id);
    if (entry == connections_.end()) continue;  // the client has disconnected
    if (one.response.stream) {
      one.response.stream->OnChange([inbox = inbox_, id = one.id] { inbox->Add(id); });
    }
    entry->second.connection->Answer(std::move(one.response), now);
    Settle(entry, now);
  }
}

void HttpListener::TakeStreamed(MonotonicTime now) {
  for (const uint64_t id : inbox_->Take()) {
    const auto entry = connections_.find(id);
    if (entry == connections_.end()) continue;
    ServerConnection& connection = *entry->second.connection;
    // A connection whose stream has ended continues when its socket is ready.
    if (connection.phase() != Phase::kStreaming) continue;
    connection.Advance(now);
    Settle(entry, now);
  }
}

}  // namespace capstan::http
