#include "long_way.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace capstan::scenarios {
namespace {

class LongWay final : public Transport {
 public:
  LongWay(testing::SuspendableRuntime& machine, std::shared_ptr<Transport> far, Duration longest)
      : machine_(machine), far_(std::move(far)), longest_(longest) {}

  Result<std::unique_ptr<HttpResponse>> RoundTrip(const HttpRequest& request,
                                                  std::stop_token stop) override {
    machine_.AwaitContinue();
    if (Status late = CheckSendBefore(request, machine_.Now()); !late.ok()) return late;
    const auto way = std::chrono::duration_cast<Duration>(machine_.RandomFraction() * longest_);
    const Duration timeout = request.timeout.value_or(Duration::max());
    if (!machine_.base().SleepFor(std::min(way, timeout), stop)) return Status::Canceled();
    if (way >= timeout) return Status(StatusReason::kDeadlineExceeded, "no answer in time");
    HttpRequest rest = request;
    rest.send_before.reset();  // the request has been sent
    if (rest.timeout) rest.timeout = *rest.timeout - way;
    auto response = far_->RoundTrip(rest, std::move(stop));
    machine_.AwaitContinue();
    return response;
  }

 private:
  testing::SuspendableRuntime& machine_;
  const std::shared_ptr<Transport> far_;
  const Duration longest_;
};

}  // namespace

std::shared_ptr<Transport> NewLongWay(testing::SuspendableRuntime& machine,
                                      std::shared_ptr<Transport> far, Duration longest) {
  return std::make_shared<LongWay>(machine, std::move(far), longest);
}

}  // namespace capstan::scenarios
