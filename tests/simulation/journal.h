#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/client/transport.h>
#include <capstan/log/log.h>
#include <capstan/runtime/runtime.h>

namespace capstan::simulation {

// The events of a history, one per line, with the time since its start and the actor. Not
// thread-safe: for the fibers of one SimulatedRuntime. Replaces the log sink during its lifetime.
class Journal final : public LogSink {
 public:
  // Discards all entries unless `keeps` is true.
  Journal(Runtime& runtime, bool keeps);
  ~Journal() override;

  bool keeps() const { return keeps_; }
  void Add(std::string_view actor, std::string_view text);
  void Write(std::string_view line) override;
  std::vector<std::string> TakeLines() { return std::move(lines_); }

 private:
  Runtime& runtime_;
  const bool keeps_;
  const MonotonicTime begin_;
  std::vector<std::string> lines_;
};

// "PATCH /apis/... {"spec":...", truncated to a line or two.
std::string ShortText(const HttpRequest& request);

// A transport between an actor and the fault injector that records the requests that fail.
std::shared_ptr<Transport> NewJournalTransport(Journal& journal, std::string actor,
                                               std::shared_ptr<Transport> inner);

}  // namespace capstan::simulation
