#pragma once

/// How a Client and the transports enforce a WriteFence.
///
/// Threads: all functions may be called from any thread.

#include <stop_token>

#include <capstan/client/transport.h>
#include <capstan/client/write_fence.h>
#include <capstan/runtime/runtime.h>
#include <capstan/runtime/status.h>

namespace capstan {

/// The current term; Canceled, and not ambiguous, if there is none.
Result<WriteTerm> PresentTerm(const WriteFence& fence, MonotonicTime now);

/// Limits sending `request`, a copy of `original`, and waiting for its response to the current
/// term. Canceled if there is none.
Status FitIntoTerm(const WriteFence& fence, MonotonicTime now, const HttpRequest& original,
                   HttpRequest& request);

/// Waits for `delay`. Under a fence (null: none), waits no longer than the term, which may be
/// renewed meanwhile. Canceled by `stop` or by the end of the term.
Status PauseWithinTerm(Runtime& runtime, Duration delay, const std::stop_token& stop,
                       const WriteFence* fence);

}  // namespace capstan
