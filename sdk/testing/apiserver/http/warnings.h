#pragma once

// The Warning headers of an answer. They are there beside an error too: what was found odd before
// something was found wrong.

#include <string>
#include <string_view>
#include <vector>

namespace capstan::testing::server {

// Threads: belongs to one request.
class Warnings {
 public:
  // Each text counts once; an empty one does not count.
  void Add(std::string text);
  void Add(std::vector<std::string> texts);

  const std::vector<std::string>& texts() const { return texts_; }
  // The values of the headers (RFC 7234, section 5.5): `299 - "text"`. Where they would be too long
  // together, each is cut and the last ones are left out.
  std::vector<std::string> HeaderValues() const;

 private:
  std::vector<std::string> texts_;
};

}  // namespace capstan::testing::server
