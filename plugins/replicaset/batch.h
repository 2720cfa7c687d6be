#pragma once

/// Runs several calls to the API server concurrently.

#include <cstddef>
#include <functional>
#include <vector>

#include <capstan/runtime/runtime.h>
#include <capstan/runtime/status.h>

namespace capstan::replicaset {

/// Calls call(0) to call(count - 1), several concurrently, and waits for all. Returns their
/// results.
std::vector<Status> CallAll(Runtime& runtime, size_t count,
                            const std::function<Status(size_t)>& call);

struct SlowStartResult {
  size_t succeeded = 0;
  Status error;  ///< the first error of the failed batch
};

/// Like CallAll, but in batches of 1, 2, 4, ... calls. After a batch with a failure the remaining
/// calls are skipped, so that an exhausted quota costs a few requests, not hundreds.
SlowStartResult SlowStart(Runtime& runtime, size_t count, const std::function<Status()>& call);

}  // namespace capstan::replicaset
