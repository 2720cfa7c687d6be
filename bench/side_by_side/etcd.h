#pragma once

/// Etcd: the key-value API of etcd through its JSON gateway (/v3/kv), which needs no gRPC.
///
/// Threads: all methods may be called from any thread. Errors: std::runtime_error.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <capstan/client/transport.h>

namespace capstan::bench {

using KeyValue = std::pair<std::string, std::string>;

class Etcd {
 public:
  /// The limits of a transaction: etcd's --max-txn-ops, and its --max-request-bytes with room for
  /// the rest of the request.
  static constexpr size_t kMaxPuts = 128;
  static constexpr size_t kMaxBytes = size_t{1200} * 1024;

  /// `url`: "http://127.0.0.1:PORT"
  explicit Etcd(const std::string& url);

  /// Waits until etcd answers.
  void AwaitReady() const;
  /// All keys with this prefix, which must not be empty.
  std::vector<KeyValue> Range(const std::string& prefix) const;
  /// Writes all in one transaction.
  void Put(const std::vector<KeyValue>& values) const;

 private:
  std::string Ask(const std::string& method, const std::string& path,
                  const std::string& body) const;

  const std::shared_ptr<Transport> transport_;
};

}  // namespace capstan::bench
