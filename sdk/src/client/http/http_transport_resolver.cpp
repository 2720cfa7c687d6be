#include "client/http/http_transport_resolver.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <capstan/runtime/format.h>

#include "client/http/url.h"

namespace capstan::client {
namespace {

Result<std::vector<Address>> LookUp(const std::string& host, uint16_t port, int flags) {
  addrinfo hints{};
  hints.ai_flags = flags | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (error != 0) {
    const std::string reason =
        error == EAI_SYSTEM ? std::generic_category().message(errno) : gai_strerror(error);
    return Status(StatusReason::kTransport, Format("cannot look up \"{}\": {}", host, reason));
  }
  std::vector<Address> addresses;
  for (const addrinfo* info = found; info; info = info->ai_next) {
    Address address;
    std::memcpy(&address.storage, info->ai_addr, info->ai_addrlen);
    address.length = info->ai_addrlen;
    addresses.push_back(address);
  }
  freeaddrinfo(found);
  return addresses;
}

}  // namespace

std::string Address::ToString() const {
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  getnameinfo(reinterpret_cast<const sockaddr*>(&storage), length, host.data(), host.size(),
              port.data(), port.size(), NI_NUMERICHOST | NI_NUMERICSERV);
  const bool v6 = storage.ss_family == AF_INET6;
  return (v6 ? "[" : "") + std::string(host.data()) + (v6 ? "]:" : ":") + port.data();
}

// `ready` becomes readable, and stays readable, once `result` is set.
struct Resolver::Lookup {
  io::UniqueFd ready{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  std::atomic<bool> done = false;
  Result<std::vector<Address>> result = Status::Canceled();
  std::unique_ptr<Thread> thread;
};

Resolver::Resolver(std::string host, uint16_t port, Runtime& runtime)
    : host_(std::move(host)), port_(port), runtime_(runtime) {}

Resolver::~Resolver() = default;

std::shared_ptr<Resolver::Lookup> Resolver::JoinLookup() {
  std::shared_ptr<Lookup> former;  // its thread has ended; joined without the lock
  MutexLock lock(mutex_);
  if (current_ && !current_->done) return current_;
  former = std::exchange(current_, std::make_shared<Lookup>());
  Lookup& lookup = *current_;
  lookup.thread = runtime_.Start("resolver", [&lookup, host = host_, port = port_] {
    lookup.result = LookUp(host, port, 0);
    lookup.done = true;
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(lookup.ready.get(), &one, sizeof(one));
  });
  return current_;
}

Result<std::vector<Address>> Resolver::Resolve(const RequestScope& scope, MonotonicTime limit) {
  if (IsIpAddress(host_)) return LookUp(host_, port_, AI_NUMERICHOST);
  const std::shared_ptr<Lookup> lookup = JoinLookup();
  if (!lookup->ready.valid()) {
    return Status(StatusReason::kTransport, "cannot create an eventfd: too many open files");
  }
  const Result<bool> ready = scope.Wait(lookup->ready.get(), POLLIN, limit);
  if (!ready) return ready.status();
  // Reading `done` makes the result of the other thread visible to this one.
  if (!*ready || !lookup->done) {
    return Status(StatusReason::kTransport,
                  Format("cannot look up \"{}\": the name servers do not respond", host_));
  }
  return lookup->result;
}

}  // namespace capstan::client
