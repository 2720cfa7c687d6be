#include "pages/why_page.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include <capstan/runtime/format.h>

namespace capstan::manager {
namespace {

using State = Explanation::State;

// Requests call the API server and occupy a thread that health checks need too.
constexpr int kMostAtOnce = 2;
constexpr size_t kMostListed = 100;

http::ServerResponse Failed(int status, std::string message) {
  return {.status = status, .body = std::move(message) + "\n"};
}

http::ServerResponse Failed(const Status& status) {
  switch (status.reason()) {
    case StatusReason::kNotFound:
      return Failed(404, status.message());
    case StatusReason::kInvalidArgument:
      return Failed(400, status.message());
    case StatusReason::kServiceUnavailable:
      return Failed(503, status.message());
    default:
      return Failed(500, status.ToString());
  }
}

http::ServerResponse Json(std::string body) {
  return {.content_type = "application/json", .body = std::move(body) + "\n"};
}

struct Target {
  std::string kind;
  NamespacedName name;
};

std::optional<Target> ParseFor(const std::string& text) {
  const size_t first = text.find('/');
  const size_t second = first == std::string::npos ? first : text.find('/', first + 1);
  if (second == std::string::npos) return std::nullopt;
  Target target{.kind = text.substr(0, first),
                .name = {text.substr(first + 1, second - first - 1), text.substr(second + 1)}};
  const std::string& name = target.name.name;
  if (target.kind.empty() || target.name.namespace_.empty() || name.empty()) return std::nullopt;
  if (name.find('/') != std::string::npos) return std::nullopt;
  return target;
}

/// Blocked objects first, then the oldest first. Objects without a time are last.
auto OrderOf(const ExplainedObject& object) {
  const Explanation& explanation = object.explanation;
  return std::make_tuple(explanation.state != State::kBlocked, explanation.since.IsZero(),
                         explanation.since, std::cref(object.name));
}

size_t Count(const std::vector<ExplainedObject>& objects, State state) {
  return static_cast<size_t>(std::count_if(
      objects.begin(), objects.end(),
      [state](const ExplainedObject& object) { return object.explanation.state == state; }));
}

std::string ListText(const std::vector<ExplainedObject>& objects, WallTime now) {
  if (objects.empty()) return "nothing is blocked or waiting\n";
  std::string text = Format("{} blocked, {} waiting\n", Count(objects, State::kBlocked),
                            Count(objects, State::kWaiting));
  const size_t listed = std::min(objects.size(), kMostListed);
  for (size_t i = 0; i < listed; ++i) text += "\n" + ExplanationText(objects[i], now);
  if (objects.size() > listed) text += Format("\nand {} more\n", objects.size() - listed);
  return text;
}

std::string ListJson(const std::vector<ExplainedObject>& objects) {
  std::string json = Format(R"({{"blocked":{},"waiting":{},"items":[)",
                            Count(objects, State::kBlocked), Count(objects, State::kWaiting));
  const size_t listed = std::min(objects.size(), kMostListed);
  for (size_t i = 0; i < listed; ++i) {
    if (i > 0) json += ',';
    json += ExplanationJson(objects[i]);
  }
  return json + "]}";
}

class WhyPage {
 public:
  WhyPage(const Clock& clock, WhySource source) : clock_(clock), source_(std::move(source)) {}

  http::ServerResponse Serve(const http::ServerRequest& request) {
    const std::string format = request.Get("format");
    if (!format.empty() && format != "json" && format != "text") {
      return Failed(400, "format: must be \"text\" or \"json\"");
    }
    const Turn turn(in_progress_);
    if (!turn.granted()) return Failed(429, "too many requests at once; try again");
    return request.Has("for") ? ServeOne(request.Get("for"), format == "json")
                              : ServeAll(format == "json");
  }

 private:
  /// A slot for one of the concurrent requests.
  class Turn {
   public:
    explicit Turn(std::atomic<int>& in_progress)
        : in_progress_(in_progress), granted_(++in_progress <= kMostAtOnce) {}
    ~Turn() { --in_progress_; }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    bool granted() const { return granted_; }

   private:
    std::atomic<int>& in_progress_;
    const bool granted_;
  };

  http::ServerResponse ServeOne(const std::string& text, bool json) const {
    const auto target = ParseFor(text);
    if (!target) return Failed(400, "for: must be KIND/NAMESPACE/NAME");
    const auto object = source_.explain(target->kind, target->name);
    if (!object) return Failed(object.status());
    if (json) return Json(ExplanationJson(*object));
    return {.body = ExplanationText(*object, clock_.Now())};
  }

  http::ServerResponse ServeAll(bool json) const {
    auto objects = source_.unsettled();
    if (!objects) return Failed(objects.status());
    std::sort(objects->begin(), objects->end(),
              [](const auto& a, const auto& b) { return OrderOf(a) < OrderOf(b); });
    if (json) return Json(ListJson(*objects));
    return {.body = ListText(*objects, clock_.Now())};
  }

  const Clock& clock_;
  const WhySource source_;
  std::atomic<int> in_progress_ = 0;
};

}  // namespace

void AddWhyPage(http::Mux& mux, const Clock& clock, WhySource source) {
  mux.Handle("/whyz", [page = std::make_shared<WhyPage>(clock, std::move(source))](
                          const http::ServerRequest& request) { return page->Serve(request); });
}

}  // namespace capstan::manager
