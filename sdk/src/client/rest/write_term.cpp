#include "client/rest/write_term.h"

#include <algorithm>

#include "runtime/not_sent.h"

namespace capstan {

Result<WriteTerm> PresentTerm(const WriteFence& fence, MonotonicTime now) {
  const std::optional<WriteTerm> term = fence.Term();
  if (!term) return NotSent("this manager may not write");
  if (now >= term->send_before || now >= term->end_by) {
    return NotSent("this manager may not write any more");
  }
  return *term;
}

Status FitIntoTerm(const WriteFence& fence, MonotonicTime now, const HttpRequest& original,
                   HttpRequest& request) {
  const Result<WriteTerm> term = PresentTerm(fence, now);
  if (!term) return term.status();
  const Duration left = term->end_by - now;
  request.timeout = std::min(original.timeout.value_or(left), left);
  request.send_before = term->send_before;
  return Status::Ok();
}

Status PauseWithinTerm(Runtime& runtime, Duration delay, const std::stop_token& stop,
                       const WriteFence* fence) {
  const MonotonicTime end = runtime.Now() + delay;
  while (true) {
    const MonotonicTime now = runtime.Now();
    MonotonicTime until = end;
    if (fence) {
      const Result<WriteTerm> term = PresentTerm(*fence, now);
      if (!term) return term.status();
      until = std::min(end, term->send_before);
    }
    if (!runtime.SleepFor(until - now, stop)) return Status::Canceled();
    if (until == end) return Status::Ok();
  }
}

}  // namespace capstan
