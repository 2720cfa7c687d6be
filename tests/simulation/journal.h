#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/client/transport.h>
#include <capstan/log/log.h>
#include <capstan/runtime/runtime.h>

namespace capstan::simulation {

// What happened in a history, line by line, with the time since its beginning and the actor.
// Not thread-safe: for the fibers of one SimulatedRuntime. It takes the log while it lives.
class Journal final : public LogSink {
 public:
  // Without `keeps` it forgets all it is told.
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

// "PATCH /apis/... {"spec":...", not longer than a line or two.
std::string ShortText(const HttpRequest& request);

// Stands between an actor and the faults, and notes the requests that fail there.
std::shared_ptr<Transport> NewWitness(Journal& journal, std::string actor,
                                      std::shared_ptr<Transport> inner);

}  // namespace capstan::simulation
