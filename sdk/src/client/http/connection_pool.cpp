#include "client/http/connection_pool.h"

#include <utility>

namespace capstan::client {

// Closing a connection writes to its socket. So the callers close the dropped connections after
// they release the lock.
void ConnectionPool::DropExpired(Dropped& dropped) {
  const MonotonicTime oldest = clock_.Monotonic() - kIdleTimeout;
  size_t count = 0;
  while (count < idle_.size() && (idle_[count].since < oldest || idle_.size() - count > kMaxIdle)) {
    dropped.push_back(std::move(idle_[count++].connection));
  }
  idle_.erase(idle_.begin(), idle_.begin() + static_cast<std::ptrdiff_t>(count));
}

std::unique_ptr<Connection> ConnectionPool::Take(const TlsContext* tls) {
  while (true) {
    Dropped dropped;
    std::unique_ptr<Connection> candidate;
    {
      MutexLock lock(mutex_);
      DropExpired(dropped);
      if (idle_.empty()) return nullptr;
      candidate = std::move(idle_.back().connection);
      idle_.pop_back();
    }
    if (candidate->tls_context() == tls && candidate->IsIdle()) return candidate;
  }
}

void ConnectionPool::Put(std::unique_ptr<Connection> connection) {
  if (!connection->Reusable()) return;
  Dropped dropped;
  MutexLock lock(mutex_);
  idle_.push_back({std::move(connection), clock_.Monotonic()});
  DropExpired(dropped);
}

}  // namespace capstan::client
