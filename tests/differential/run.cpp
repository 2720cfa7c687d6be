#include "run.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <regex>
#include <stdexcept>
#include <thread>

#include "comparison.h"
#include "sample_objects.h"

namespace capstan::differential {
namespace {

constexpr int kCallsBetweenWatches = 250;
constexpr int kWatchesAtATime = 12;
constexpr size_t kLongestBody = 1500;

// A server may answer a read from a cache that lags behind, and sends events at any time. So a
// difference is checked again, up to this many times.
constexpr int kLooks = 40;
void WaitForNextPoll(int look) {
  std::this_thread::sleep_for(std::chrono::milliseconds(std::min(5 * (look + 1), 100)));
}

Call Plain(std::string method, std::string target, const json::Value& body) {
  Call call;
  call.effect = Call::Effect::kWrite;
  call.method = std::move(method);
  call.target = std::move(target);
  call.content_type = "application/json";
  if (!body.IsNull()) call.body = json::ToJson(body);
  call.title = call.method + " " + call.target;
  return call;
}

std::string Cut(const std::string& text) {
  return text.size() <= kLongestBody ? text : text.substr(0, kLongestBody) + "...";
}

std::string Text(const Answer& answer) {
  std::string text = std::to_string(answer.code);
  if (!answer.warning.empty()) text += " (warning " + answer.warning + ")";
  return text + " " + Cut(answer.text.empty() ? json::ToJson(answer.body) : answer.text);
}

std::string Request(const Call& call) {
  std::string text = call.method + " " + call.target;
  if (!call.content_type.empty()) text += "\n      " + call.content_type;
  if (!call.body_of.empty()) {
    text += " of what was last seen, with " + json::ToJson(call.edit);
  } else if (!call.body.empty()) {
    text += " " + Cut(call.body);
  }
  return text;
}

// Differences that are equal except for the object's name belong to one class.
std::string ClassOf(const std::string& difference) {
  static const std::regex name("\\b(alpha|beta|gamma)\\b");
  return std::regex_replace(difference, name, "NAME");
}

}  // namespace

Run::Run(Side& left, Side& right, KnownDifferences& known, RunOptions options)
    : left_(left), right_(right), known_(known), options_(options), generator_(options.seed) {}

bool Run::Execute() {
  Prepare();
  for (int i = 0; i < options_.calls; ++i) {
    if (i % kCallsBetweenWatches == 0) {
      CompareWatches();
      Repair("namespaces/");
      OpenWatches();
    }
    Try(generator_.Next());
  }
  CompareWatches();
  return Summarise();
}

void Run::Prepare() {
  for (Side* side : {&left_, &right_}) {
    for (const std::string& name : SampleNamespaces()) {
      const Answer answer = side->Send(Plain(
          "POST", "/api/v1/namespaces",
          Parsed(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")" + name + "\"}}")));
      if (answer.code != 201) throw std::runtime_error(side->name() + ": " + Text(answer));
    }
    const Answer answer = side->Send(Plain(
        "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", WidgetDefinition()));
    if (answer.code != 201) throw std::runtime_error(side->name() + ": " + Text(answer));
    const std::string widgets = "/apis/diff.capstan.dev/v1/namespaces/diff-a/widgets";
    const Call list = Plain("GET", widgets, {});
    // A new resource is refused for some seconds, even after a successful list.
    const Call create = Plain("POST", widgets + "?dryRun=All",
                              Parsed(R"({"apiVersion":"diff.capstan.dev/v1","kind":"Widget",)"
                                     R"("metadata":{"name":"first"}})"));
    for (int look = 0; side->Send(list).code != 200 || side->Send(create).code != 201; ++look) {
      if (look > 100) throw std::runtime_error(side->name() + " does not serve widgets");
      WaitForNextPoll(look);
    }
  }
}

void Run::Try(const Call& call) {
  Answer left = left_.Send(call);
  Answer right = right_.Send(call);
  auto differences = Differences(call, left, left_.memory(), right, right_.memory());
  if (call.effect == Call::Effect::kRead) {
    for (int look = 0; !differences.empty() && look < 5; ++look) {
      WaitForNextPoll(look * 4);
      left = left_.Send(call);
      right = right_.Send(call);
      differences = Differences(call, left, left_.memory(), right, right_.memory());
    }
  }
  ++codes_[left.code];
  std::vector<std::string>& history = history_[call.object];
  if (differences.empty()) {
    ++agreed_;
    if (call.effect == Call::Effect::kWrite && left.code < 300) history.push_back(Request(call));
    return;
  }
  Judge(call, differences, &left, &right);
  const bool one_wrote = !IsDryRun(call) && left.code != right.code;
  if (call.effect == Call::Effect::kWrite && (one_wrote || left.code < 300)) {
    Repair(call.collection);
  }
}

void Run::Repair(const std::string& collection) {
  if (collection.starts_with("customresourcedefinitions") ||
      collection.find("diff-none") != std::string::npos) {
    return;
  }
  left_.Clear(collection);
  right_.Clear(collection);
  repaired_.insert(collection);
  std::erase_if(history_, [&](const auto& entry) { return entry.first.starts_with(collection); });
}

void Run::OpenWatches() {
  repaired_.clear();
  for (int i = 0; i < kWatchesAtATime; ++i) {
    WatchPair pair;
    pair.call = generator_.NextWatch();
    if (pair.call.collection.find("diff-none") != std::string::npos) continue;
    Call list = pair.call;
    list.effect = Call::Effect::kRead;
    list.target = list.target.substr(0, list.target.find('?'));
    left_.Send(list);
    right_.Send(list);
    pair.left = left_.Watch(pair.call);
    pair.right = right_.Watch(pair.call);
    watches_.push_back(std::move(pair));
  }
}

void Run::CompareWatches() {
  for (const WatchPair& pair : watches_) {
    if (repaired_.contains(pair.call.collection)) {
      ++watches_left_out_;
      continue;
    }
    std::vector<std::string> differences;
    for (int look = 0; look < kLooks; ++look) {
      differences = EventDifferences(pair.call, pair.left->Events(), left_.memory(),
                                     pair.right->Events(), right_.memory());
      if (differences.empty()) break;
      WaitForNextPoll(look);
    }
    if (differences.empty()) {
      ++watches_agreed_;
      events_agreed_ += static_cast<int64_t>(pair.left->Events().size());
    } else {
      Judge(pair.call, differences, nullptr, nullptr);
    }
  }
  watches_.clear();
}

bool Run::Judge(const Call& call, const std::vector<std::string>& differences, const Answer* left,
                const Answer* right) {
  bool unknown = false;
  for (const std::string& difference : differences) {
    if (known_.Covers(difference)) continue;
    unknown = true;
    ++classes_[ClassOf(difference)];
  }
  if (!unknown) {
    ++known_count_;
    return false;
  }
  if (++unknown_count_ <= options_.shown) {
    std::cout << "\ndisagreement " << unknown_count_ << "\n";
    for (const std::string& earlier : history_[call.object]) {
      std::cout << "  (before) " << earlier << "\n";
    }
    std::cout << "  " << Request(call) << "\n";
    for (const std::string& difference : differences) std::cout << "  * " << difference << "\n";
    if (left != nullptr) std::cout << "  " << left_.name() << ": " << Text(*left) << "\n";
    if (right != nullptr) std::cout << "  " << right_.name() << ": " << Text(*right) << "\n";
  }
  return true;
}

bool Run::Summarise() const {
  std::vector<std::pair<int, std::string>> classes;
  for (const auto& [line, count] : classes_) classes.emplace_back(count, line);
  std::sort(classes.rbegin(), classes.rend());
  if (!classes.empty()) {
    std::cout << "\ndifferences (" << left_.name() << " | " << right_.name() << "):\n";
  }
  for (const auto& [count, line] : classes) std::cout << count << " x " << line << "\n";

  std::cout << "\n"
            << options_.calls << " calls, seed " << options_.seed << ": " << agreed_ << " agreed, "
            << known_count_ << " differed as known, " << unknown_count_ << " disagreed; "
            << watches_agreed_ << " watches agreed in " << events_agreed_ << " events, "
            << watches_left_out_ << " not compared\nanswers:";
  for (const auto& [code, count] : codes_) std::cout << " " << code << " x " << count;
  std::cout << "\n";
  for (const std::string& pattern : known_.Unused()) {
    std::cout << "known, but did not occur in this run: " << pattern << "\n";
  }
  return unknown_count_ == 0;
}

}  // namespace capstan::differential
