#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <capstan/controller/reconciler.h>

namespace capstan {

// Notes what it is asked to reconcile, and answers as it is told.
class TestReconciler : public Reconciler {
 public:
  using Answer = std::function<Result<Action>(const Request&)>;

  TestReconciler() = default;
  explicit TestReconciler(Answer answer) : answer_(std::move(answer)) {}

  Result<Action> Reconcile(const Request& request) override {
    seen.push_back(request.name.ToString());
    return answer_ ? answer_(request) : Action::AwaitChange();
  }

  // Takes what was seen.
  std::vector<std::string> Seen() { return std::exchange(seen, {}); }

  std::vector<std::string> seen;  // in a simulated runtime one thread runs at a time

 private:
  Answer answer_;
};

}  // namespace capstan
