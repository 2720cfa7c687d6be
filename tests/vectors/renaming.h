#pragma once

// The names that a sync, or the server for it, is free to choose: pod-template-hashes of the
// ReplicaSets and names of the Pods that it created.

#include <string>
#include <utility>
#include <vector>

#include "vector.h"

namespace capstan::vectors {

class Renaming {
 public:
  // Names what is in `after` and was not in `before`.
  Renaming(const State& before, const State& after);

  // `text` with a stand-in for each of the names that is a word of it, such as "<hash 1>".
  std::string Text(std::string text) const;
  // All texts in `value`; keys stay as they are.
  json::Value Texts(const json::Value& value) const;

 private:
  std::vector<std::pair<std::string, std::string>> names_;
};

}  // namespace capstan::vectors
