#include <capstan/controller/explainer.h>

#include <algorithm>

#include "base/json/json_text.h"
#include "base/text/ascii.h"

namespace capstan {
namespace {

// The length in bytes of the UTF-8 control character at `at`; 0 if there is none.
size_t ControlLength(std::string_view text, size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < ' ' || byte == 0x7f) return 1;
  if (byte != 0xc2 || at + 1 == text.size()) return 0;
  const auto next = static_cast<unsigned char>(text[at + 1]);
  return next >= 0x80 && next < 0xa0 ? 2 : 0;
}

// Control characters in the text of an object must not reach the terminal.
void AppendLine(std::string& out, std::string_view indent, std::string_view text) {
  out += indent;
  for (size_t at = 0; at < text.size();) {
    const size_t control = ControlLength(text, at);
    out += control > 0 ? ' ' : text[at];
    at += std::max<size_t>(control, 1);
  }
  out += '\n';
}

// "5s", "12m", "3h" or "9d": rounded for display.
std::string Age(api::Time since, WallTime now) {
  using std::chrono::seconds;
  constexpr int64_t kHour = 3600;
  constexpr int64_t kDay = 24 * kHour;
  const int64_t age = std::chrono::floor<seconds>(now.time_since_epoch()).count() - since.seconds();
  if (age < 120) return std::to_string(std::max<int64_t>(age, 0)) + "s";
  if (age < 2 * kHour) return std::to_string(age / 60) + "m";
  if (age < 2 * kDay) return std::to_string(age / kHour) + "h";
  return std::to_string(age / kDay) + "d";
}

// Ages are not computed from a zero time, or from a time at or before the epoch.
bool IsPlausible(api::Time time) { return !time.IsZero() && time.seconds() > 0; }

void AppendMember(json::ObjectWriter& writer, std::string& out, std::string_view key,
                  std::string_view value) {
  writer.Key(key);
  json::AppendString(out, value);
}

void AppendSince(json::ObjectWriter& writer, std::string& out, api::Time since) {
  if (IsPlausible(since)) AppendMember(writer, out, "since", since.ToString());
}

void AppendDetail(std::string& out, const Explanation::Detail& detail) {
  json::ObjectWriter writer(out);
  AppendMember(writer, out, "object", detail.object);
  writer.Key("more");
  out += std::to_string(detail.more);
  AppendMember(writer, out, "reason", detail.reason);
  AppendMember(writer, out, "message", detail.message);
  AppendSince(writer, out, detail.since);
  writer.End();
}

}  // namespace

Explainer::~Explainer() = default;

std::string_view StateName(Explanation::State state) {
  switch (state) {
    case Explanation::State::kSettled:
      return "settled";
    case Explanation::State::kWaiting:
      return "waiting";
    case Explanation::State::kBlocked:
      return "blocked";
  }
  return "unknown";
}

std::string ExplanationText(const ExplainedObject& object, WallTime now) {
  const Explanation& explanation = object.explanation;
  const std::string kind = text::Lower(object.kind);
  std::string head = kind + "/" + object.name.name;
  if (!object.name.namespace_.empty()) head += " in " + object.name.namespace_;
  head += " is ";
  head += StateName(explanation.state);
  head += ": " + explanation.reason;
  if (IsPlausible(explanation.since)) {
    head +=
        ", for " + Age(explanation.since, now) + " (since " + explanation.since.ToString() + ")";
  }
  std::string text;
  AppendLine(text, "", head);
  AppendLine(text, "  ", explanation.message);
  for (const std::string& note : explanation.notes) AppendLine(text, "  ", note);
  for (const Explanation::Detail& detail : explanation.details) {
    std::string line = detail.object;
    if (detail.more > 0) line += " and " + std::to_string(detail.more) + " more";
    line += ": " + detail.reason;
    if (IsPlausible(detail.since)) line += " for " + Age(detail.since, now);
    if (!detail.message.empty()) line += ": " + detail.message;
    AppendLine(text, "  - ", line);
  }
  return text;
}

std::string ExplanationJson(const ExplainedObject& object) {
  const Explanation& explanation = object.explanation;
  std::string out;
  json::ObjectWriter writer(out);
  AppendMember(writer, out, "kind", object.kind);
  AppendMember(writer, out, "namespace", object.name.namespace_);
  AppendMember(writer, out, "name", object.name.name);
  AppendMember(writer, out, "state", StateName(explanation.state));
  AppendMember(writer, out, "reason", explanation.reason);
  AppendMember(writer, out, "message", explanation.message);
  AppendSince(writer, out, explanation.since);
  writer.Key("notes");
  out += '[';
  for (const std::string& note : explanation.notes) {
    if (&note != explanation.notes.data()) out += ',';
    json::AppendString(out, note);
  }
  out += ']';
  writer.Key("details");
  out += '[';
  for (const Explanation::Detail& detail : explanation.details) {
    if (&detail != explanation.details.data()) out += ',';
    AppendDetail(out, detail);
  }
  out += ']';
  writer.End();
  return out;
}

}  // namespace capstan
