#pragma once

// EventServer: a Transport to a server that keeps what it is sent. For tests under a simulated
// runtime.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/api/core_v1.h>
#include <capstan/client/transport.h>
#include <capstan/runtime/runtime.h>

namespace capstan::testing {

// An HttpResponse with this body.
class BodyResponse : public HttpResponse {
 public:
  BodyResponse(int status, std::string body) : status_(status), body_(std::move(body)) {}
  int status() const override { return status_; }
  std::string Header(std::string_view name) const override {
    return name == "Content-Type" ? "application/json" : "";
  }
  Result<size_t> Read(char* buffer, size_t size) override {
    const size_t count = std::min(size, body_.size());
    std::memcpy(buffer, body_.data(), count);
    body_.erase(0, count);
    return count;
  }

 private:
  const int status_;
  std::string body_;
};

// Records every request. Responds with the request's body, or as `fail` specifies.
// GETs stand for other requests.
class EventServer : public Transport {
 public:
  explicit EventServer(Runtime& runtime) : runtime_(runtime) {}

  Result<std::unique_ptr<HttpResponse>> RoundTrip(const HttpRequest& request,
                                                  std::stop_token stop) override {
    most_at_a_time = std::max(most_at_a_time, ++at_a_time_);
    const bool answers = latency == Duration::zero() || runtime_.SleepFor(latency, stop);
    --at_a_time_;
    if (!answers) return Status::Canceled();
    requests.push_back(request);
    if (fail) {
      if (auto failure = fail(request)) return std::move(*failure);
    }
    if (request.method == "GET") return Answer(200, "{}");
    if (request.method == "POST") return Answer(201, request.body);
    api::core::v1::Event patched;
    patched.metadata.name = request.target.substr(request.target.rfind('/') + 1);
    return Answer(200, ToJson(patched));
  }
  static Result<std::unique_ptr<HttpResponse>> Refuse(int code, const std::string& reason,
                                                      const std::string& cause = "") {
    const std::string details =
        cause.empty() ? "{}" : "{\"causes\":[{\"reason\":\"" + cause + "\"}]}";
    return Answer(code, R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":")" +
                            reason + R"(","message":"refused","code":)" + std::to_string(code) +
                            R"(,"details":)" + details + "}");
  }
  static Result<std::unique_ptr<HttpResponse>> Answer(int code, std::string body) {
    return std::unique_ptr<HttpResponse>(std::make_unique<BodyResponse>(code, std::move(body)));
  }
  static Result<std::unique_ptr<HttpResponse>> Unreachable() {
    return Status(StatusReason::kTransport, "connection refused");
  }

  api::core::v1::Event Created(size_t index) const {
    EXPECT_LT(index, requests.size());
    EXPECT_EQ(requests[index].method, "POST");
    const auto event = FromJson<api::core::v1::Event>(requests[index].body);
    EXPECT_TRUE(event.ok()) << event.status().ToString();
    return event ? *event : api::core::v1::Event();
  }
  // The number of requests for Events.
  size_t Writes() const {
    return static_cast<size_t>(std::count_if(
        requests.begin(), requests.end(), [](const HttpRequest& r) { return r.method != "GET"; }));
  }
  std::vector<std::string> Methods() const {
    std::vector<std::string> methods;
    for (const HttpRequest& request : requests) methods.push_back(request.method);
    return methods;
  }

  std::vector<HttpRequest> requests;
  std::function<std::optional<Result<std::unique_ptr<HttpResponse>>>(const HttpRequest&)> fail;
  Duration latency{};
  int most_at_a_time = 0;

 private:
  Runtime& runtime_;
  int at_a_time_ = 0;
};

}  // namespace capstan::testing
