#pragma once

// Replay: what a plugin's reconciler makes of the state in which a vector begins, on the embedded
// API server and in virtual time.
//
// Threads: one thread.

#include <memory>

#include "comparison.h"
#include "vector.h"

namespace capstan::vectors {

struct Replayed {
  Outcome ours;
  Outcome theirs;  // what the reference created is as this server would have stored it
  Status error;    // of our reconcile
};

class Replay {
 public:
  Replay();
  ~Replay();

  // Errors: those of a state that the server cannot hold or a cache not show.
  Result<Replayed> Run(const Vector& vector);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace capstan::vectors
