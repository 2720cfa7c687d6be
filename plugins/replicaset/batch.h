#pragma once

/// Many calls to the API server at a time.

#include <cstddef>
#include <functional>
#include <vector>

#include <capstan/runtime/runtime.h>
#include <capstan/runtime/status.h>

namespace capstan::replicaset {

/// Calls call(0) to call(count - 1), some at once, and waits for all. What each returned.
std::vector<Status> CallAll(Runtime& runtime, size_t count,
                            const std::function<Status(size_t)>& call);

struct SlowStartResult {
  size_t succeeded = 0;
  Status error;  ///< the first of the batch that failed
};

/// As CallAll, but in batches of 1, 2, 4, ... calls: after one with a failure the rest is left out,
/// so that a quota that is used up costs a few requests, not hundreds.
SlowStartResult SlowStart(Runtime& runtime, size_t count, const std::function<Status()>& call);

}  // namespace capstan::replicaset
