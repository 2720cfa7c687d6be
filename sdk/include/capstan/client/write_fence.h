#pragma once

/// WriteFence: until when a Client may write. Whoever holds a lease gives its clients one, so that
/// nothing of theirs arrives once somebody else may hold it.
///
/// Threads: called by every thread that writes, at once.

#include <optional>

#include <capstan/export.h>
#include <capstan/runtime/clock.h>

namespace capstan {

/// Both by CLOCK_BOOTTIME, which also counts while the machine is suspended.
struct WriteTerm {
  MonotonicTime send_before;  ///< no write leaves from then on
  MonotonicTime end_by;       ///< no write is waited for any longer
};

class CAPSTAN_EXPORT WriteFence {
 public:
  virtual ~WriteFence();
  /// nullopt: nothing may be written now.
  virtual std::optional<WriteTerm> Term() const = 0;
};

}  // namespace capstan
