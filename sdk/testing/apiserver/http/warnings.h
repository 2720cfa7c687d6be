#pragma once

/// The Warning headers of a response. Error responses can have them too: validation may add
/// warnings before it finds an error.

#include <string>
#include <string_view>
#include <vector>

namespace capstan::testing::server {

/// Threads: not thread-safe; each request has its own object.
class Warnings {
 public:
  /// Adds a text. Repeated and empty texts are ignored.
  void Add(std::string text);
  void Add(std::vector<std::string> texts);

  const std::vector<std::string>& texts() const { return texts_; }
  /// Returns the header values (RFC 7234, section 5.5): `299 - "text"`. If the texts are too long
  /// in total, each text is truncated and the last ones are omitted.
  std::vector<std::string> HeaderValues() const;

 private:
  std::vector<std::string> texts_;
};

}  // namespace capstan::testing::server
