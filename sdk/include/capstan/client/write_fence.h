#pragma once

/// WriteFence: limits the time in which a Client may write. A lease holder sets a fence on its
/// clients, so that none of their writes arrives once another process may hold the lease.
///
/// Threads: every writing thread calls it, concurrently.

#include <optional>

#include <capstan/export.h>
#include <capstan/runtime/clock.h>

namespace capstan {

/// Both times are CLOCK_BOOTTIME, which also counts while the machine is suspended.
struct WriteTerm {
  MonotonicTime send_before;  ///< no write is sent at or after this time
  MonotonicTime end_by;       ///< no caller waits for a write after this time
};

class CAPSTAN_EXPORT WriteFence {
 public:
  virtual ~WriteFence();
  /// Returns nullopt if no write is permitted now.
  virtual std::optional<WriteTerm> Term() const = 0;
};

}  // namespace capstan
