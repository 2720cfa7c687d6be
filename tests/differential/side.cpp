#include "side.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <utility>

#include "base/text/percent.h"
#include "sample_objects.h"

namespace capstan::differential {
namespace {

constexpr std::string_view kNoAnswer = "connection closed by the server before it responded";
constexpr size_t kMostAnswer = size_t{16} << 20;

// "/api/v1/namespaces/NS/pods" of "pods/NS".
std::string PathOf(const std::string& collection) {
  const size_t slash = collection.find('/');
  const SampleKind& kind = KindOf(collection.substr(0, slash));
  std::string path = kind.Root();
  if (kind.namespaced && slash + 1 < collection.size()) {
    path += "/namespaces/" + collection.substr(slash + 1);
  }
  return path + "/" + kind.resource;
}

HttpRequest JsonRequest(std::string method, std::string target, std::string content_type,
                        std::string body) {
  HttpRequest request;
  request.method = std::move(method);
  request.target = std::move(target);
  request.headers = {{"Content-Type", std::move(content_type)}};
  request.body = std::move(body);
  return request;
}

// A name as a segment of a path.
std::string Escaped(std::string_view name) {
  return text::PercentEncoded(name, "!\"#$&'()*+,/:;<=>?@[\\]^`{|}");
}

}  // namespace

json::Value Merged(json::Value target, const json::Value& patch) {
  if (!patch.IsObject()) return patch;
  if (!target.IsObject()) target = json::Value::Object();
  for (const json::Member& member : patch.members()) {
    if (member.value.IsNull()) {
      target.Erase(member.key);
    } else {
      target.Set(member.key, Merged(target.Get(member.key), member.value));
    }
  }
  return target;
}

struct WatchRecorder::State {
  mutable std::mutex mutex;
  std::vector<json::Value> events;
  std::atomic<bool> answered = false;
  std::jthread thread;

  void Add(const std::string& line) {
    auto parsed = json::ParseValue(line);
    const std::lock_guard lock(mutex);
    events.push_back(parsed.ok() ? std::move(parsed->value) : json::Value(line));
  }
  void Record(Transport& transport, const HttpRequest& request, const std::stop_token& stop);
};

void WatchRecorder::State::Record(Transport& transport, const HttpRequest& request,
                                  const std::stop_token& stop) {
  auto response = transport.RoundTrip(request, stop);
  answered = true;
  answered.notify_all();
  if (!response.ok()) return Add(json::ToJson(response.status().ToString()));
  if ((*response)->status() != 200) Add(std::to_string((*response)->status()));
  std::string pending;
  char buffer[16384];
  for (;;) {
    const auto size = (*response)->Read(buffer, sizeof buffer);
    if (!size.ok() || *size == 0) break;
    pending.append(buffer, *size);
    for (size_t end; (end = pending.find('\n')) != std::string::npos; pending.erase(0, end + 1)) {
      Add(pending.substr(0, end));
    }
  }
  if (!stop.stop_requested()) Add(json::ToJson("the watch ended " + pending));
}

WatchRecorder::WatchRecorder(Transport& transport, HttpRequest request)
    : state_(std::make_shared<State>()) {
  state_->thread =
      std::jthread([&transport, request = std::move(request), state = state_.get()](
                       const std::stop_token& stop) { state->Record(transport, request, stop); });
  // Later writes come after the initial events of the watch.
  state_->answered.wait(false);
}

WatchRecorder::~WatchRecorder() {
  state_->thread.request_stop();
  state_->thread.join();
}

std::vector<json::Value> WatchRecorder::Events() const {
  const std::lock_guard lock(state_->mutex);
  return state_->events;
}

HttpRequest Side::RequestOf(const Call& call) const {
  HttpRequest request;
  request.method = call.method;
  request.target = memory_.Resolve(call.target);
  request.headers.emplace_back("User-Agent", "capstan-differential/v1");
  request.headers.emplace_back("Accept", call.accept.empty() ? "application/json" : call.accept);
  if (!call.content_type.empty()) request.headers.emplace_back("Content-Type", call.content_type);
  if (call.body_of.empty()) {
    request.body = memory_.Resolve(call.body);
  } else {
    const json::Value edit = Parsed(memory_.Resolve(json::ToJson(call.edit)));
    request.body = json::ToJson(Merged(memory_.LastSeen(call.body_of), edit));
  }
  return request;
}

Answer Side::SendRequest(HttpRequest request) {
  auto response = transport_->RoundTrip(request, {});
  if (!response.ok() && response.status().ToString().find(kNoAnswer) != std::string::npos) {
    Answer none;  // kube-apiserver panicked
    none.text = kNoAnswer;
    return none;
  }
  if (!response.ok()) {
    throw std::runtime_error(name_ + ": " + request.method + " " + request.target + ": " +
                             response.status().ToString());
  }
  Answer answer;
  answer.code = (*response)->status();
  answer.content_type = (*response)->Header("Content-Type");
  answer.warning = (*response)->Header("Warning");
  // Reading the body of an accepted watch would block.
  if (answer.code == 200 && request.target.find("watch=true") != std::string::npos) return answer;
  auto text = ReadAll(**response, kMostAnswer);
  if (!text.ok()) throw std::runtime_error(name_ + ": " + text.status().ToString());
  if (auto parsed = json::ParseValue(*text); parsed.ok()) {
    answer.body = std::move(parsed->value);
  } else {
    answer.text = *std::move(text);
  }
  return answer;
}

Answer Side::Send(const Call& call) {
  Answer answer = SendRequest(RequestOf(call));
  memory_.Learn(call, answer);
  return answer;
}

std::unique_ptr<WatchRecorder> Side::Watch(const Call& call) {
  HttpRequest request = RequestOf(call);
  request.timeout.reset();
  return std::make_unique<WatchRecorder>(*transport_, std::move(request));
}

void Side::Clear(const std::string& collection) {
  const std::string path = PathOf(collection);
  const Answer list = SendRequest(JsonRequest("GET", path, "application/json", ""));
  for (const json::Value& object : list.body.Get("items").items()) {
    const std::string& name = object.Get("metadata", "name").AsString();
    const bool is_namespace = collection == "namespaces/";
    const std::vector<std::string>& kept = SampleNamespaces();
    const bool is_kept = std::find(kept.begin(), kept.end(), name) != kept.end();
    if (is_namespace && (!name.starts_with("diff-") || is_kept)) continue;
    const std::string one = path + "/" + Escaped(name);
    SendRequest(JsonRequest("PATCH", one, "application/merge-patch+json",
                            R"({"metadata":{"finalizers":null}})"));
    SendRequest(JsonRequest("DELETE", one + "?gracePeriodSeconds=0&propagationPolicy=Background",
                            "application/json", ""));
    if (is_namespace) {
      SendRequest(JsonRequest("PUT", one + "/finalize", "application/json",
                              R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")" +
                                  name + R"("},"spec":{"finalizers":[]}})"));
    }
  }
  memory_.Forget(collection);
}

}  // namespace capstan::differential
