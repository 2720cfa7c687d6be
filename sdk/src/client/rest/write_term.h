#pragma once

// How a Client and the transports obey a WriteFence.
//
// Threads: all functions may be called from any thread.

#include <stop_token>

#include <capstan/client/transport.h>
#include <capstan/client/write_fence.h>
#include <capstan/runtime/runtime.h>
#include <capstan/runtime/status.h>

namespace capstan {

// The term that there is; Canceled, and not ambiguous, when there is none.
Result<WriteTerm> PresentTerm(const WriteFence& fence, MonotonicTime now);

// Lets `request`, a copy of `original`, be sent and waited for within the present term. Canceled
// when there is none.
Status FitIntoTerm(const WriteFence& fence, MonotonicTime now, const HttpRequest& original,
                   HttpRequest& request);

// Waits for `delay` and, under a fence (null: none), no longer than the term, which may be renewed
// meanwhile. Canceled by `stop` or by the end of the term.
Status PauseWithinTerm(Runtime& runtime, Duration delay, const std::stop_token& stop,
                       const WriteFence* fence);

}  // namespace capstan
