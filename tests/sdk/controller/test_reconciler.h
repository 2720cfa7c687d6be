#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <capstan/controller/reconciler.h>

namespace capstan {

// Records the requests that it reconciles, and returns configured results.
class TestReconciler : public Reconciler {
 public:
  using Answer = std::function<Result<Action>(const Request&)>;

  TestReconciler() = default;
  explicit TestReconciler(Answer answer) : answer_(std::move(answer)) {}

  Result<Action> Reconcile(const Request& request) override {
    seen.push_back(request.name.ToString());
    return answer_ ? answer_(request) : Action::AwaitChange();
  }

  // Returns and clears the recorded requests.
  std::vector<std::string> Seen() { return std::exchange(seen, {}); }

  std::vector<std::string> seen;  // no lock: in a simulated runtime one thread runs at a time

 private:
  Answer answer_;
};

}  // namespace capstan
