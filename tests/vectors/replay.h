#pragma once

// Replay: runs a plugin's reconciler on the initial state of a vector, with the embedded API server
// and in virtual time.
//
// Threads: one thread.

#include <memory>

#include "comparison.h"
#include "vector.h"

namespace capstan::vectors {

struct Replayed {
  Outcome ours;
  Outcome theirs;  // objects created by the reference are as this server would have stored them
  Status error;    // of Capstan's reconcile
};

class Replay {
 public:
  Replay();
  ~Replay();

  // Errors: the server cannot hold the state, or a cache cannot show it.
  Result<Replayed> Run(const Vector& vector);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace capstan::vectors
