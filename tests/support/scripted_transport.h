#pragma once

// ScriptedTransport: a Transport whose responses are scripted by the test, one per request.
//
//     transport.On("GET", "/api/v1/pods?*", JsonAnswer(200, kPodList));
//     auto watch = transport.OnWatch("/api/v1/pods?watch=true*");
//     ...
//     watch->Send(R"({"type":"ADDED",...})" "\n");
//     watch->End();
//
// An answer is used once. The first match in order of registration applies; OnEvery answers
// requests that match nothing else. A target may contain '*'. A request without an answer fails the
// test and returns InvalidArgument.
//
// Threads: all methods may be called from any thread. Waits use the Runtime.

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <capstan/client/transport.h>
#include <capstan/runtime/mutex.h>
#include <capstan/runtime/runtime.h>

#include "cluster/text_pattern.h"

namespace capstan::testing {

struct ScriptedAnswer {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
  Status refused = {};  // not OK: RoundTrip returns this error
  Status torn = {};     // not OK: reading returns this error after `body`
  Duration delay = {};  // before the response head
};

ScriptedAnswer JsonAnswer(int status, std::string body);
ScriptedAnswer Refused();
// A v1 Status with this reason.
ScriptedAnswer StatusAnswer(int code, std::string_view reason, std::string_view message = "no");

// The body of an open watch. The test sends its events.
class ScriptedWatch {
 public:
  explicit ScriptedWatch(Runtime& runtime) : changed_(runtime.NewCondition()) {}

  void Send(std::string_view piece);
  // Sends {"type": type, "object": object} and a line feed.
  void SendEvent(std::string_view type, std::string_view object);
  void End();
  void Tear();
  // Whether a client has opened the watch and not closed it.
  bool IsOpen() const;

  // Called by the transport.
  Result<size_t> Read(char* buffer, size_t size, const std::stop_token& stop);
  void SetOpen(bool open);

 private:
  const std::unique_ptr<Condition> changed_;
  mutable Mutex mutex_;
  std::string text_ CAPSTAN_GUARDED_BY(mutex_);
  bool ended_ CAPSTAN_GUARDED_BY(mutex_) = false;
  bool torn_ CAPSTAN_GUARDED_BY(mutex_) = false;
  bool open_ CAPSTAN_GUARDED_BY(mutex_) = false;
};

class ScriptedTransport : public Transport {
 public:
  explicit ScriptedTransport(Runtime& runtime) : runtime_(runtime) {}

  void On(std::string method, std::string target, ScriptedAnswer answer);
  void OnEvery(std::string method, std::string target,
               std::function<ScriptedAnswer(const HttpRequest& request)> answer);
  std::shared_ptr<ScriptedWatch> OnWatch(std::string target,
                                         std::string content_type = "application/json");

  Result<std::unique_ptr<HttpResponse>> RoundTrip(const HttpRequest& request,
                                                  std::stop_token stop) override;

  std::vector<HttpRequest> Requests() const;
  // One line per request: "GET /api/v1/pods?limit=500".
  std::vector<std::string> Lines() const;
  size_t Count(std::string_view method, std::string_view target) const;

 private:
  struct Rule {
    std::string method;
    std::string target;
    std::function<ScriptedAnswer(const HttpRequest& request)> answer;
    std::shared_ptr<ScriptedWatch> watch;
    bool once = true;
  };
  std::optional<Rule> Take(const HttpRequest& request);

  Runtime& runtime_;
  mutable Mutex mutex_;
  std::deque<Rule> rules_ CAPSTAN_GUARDED_BY(mutex_);
  std::vector<HttpRequest> requests_ CAPSTAN_GUARDED_BY(mutex_);
};

// The header's value, or "".
std::string HeaderOf(const HttpRequest& request, std::string_view name);

}  // namespace capstan::testing
