#pragma once

// The names that a sync, or its server, chooses freely: pod-template-hashes of the ReplicaSets and
// names of the Pods that it created.

#include <string>
#include <utility>
#include <vector>

#include "vector.h"

namespace capstan::vectors {

class Renaming {
 public:
  // Names the objects that are in `after` but not in `before`.
  Renaming(const State& before, const State& after);

  // `text` with each of these names replaced by a placeholder such as "<hash 1>". Only whole words
  // match.
  std::string Text(std::string text) const;
  // Replaces the names in all strings of `value`. Keys are not changed.
  json::Value Texts(const json::Value& value) const;

 private:
  std::vector<std::pair<std::string, std::string>> names_;
};

}  // namespace capstan::vectors
