#include "comparison.h"

#include <algorithm>
#include <cctype>
#include <regex>
#include <utility>

namespace capstan::differential {
namespace {

using json::Member;
using json::Value;

constexpr size_t kMostDifferences = 6;
constexpr size_t kLongestValue = 300;

// Times in calls are in the year 2020. Times set by a server are current.
bool IsServerTime(const std::string& text) {
  return text.size() >= 20 && text.size() <= 35 && text[4] == '-' && text[10] == 'T' &&
         text.back() == 'Z' && text.compare(0, 4, "2024") > 0 && std::isdigit(text[0]) != 0;
}

// The message of a patch that cannot be applied contains the whole object, including metadata.
std::string WithoutObjects(std::string text) {
  constexpr std::string_view kStart = "Invalid value: \"{\\\"";
  constexpr std::string_view kEnd = "}\": ";
  const size_t start = text.find(kStart);
  const size_t end = start == std::string::npos ? start : text.find(kEnd, start);
  if (end != std::string::npos) text.replace(start, end + kEnd.size() - start, "<object>: ");
  return text;
}

// The type errors of an applied configuration have no fixed order, and some are not always there.
std::string WithoutTypeErrors(std::string text) {
  if (!text.starts_with("failed to create typed patch object")) return text;
  return text.substr(0, text.find("): ")) + "): <errors>";
}

std::string NormalisedText(const std::string& whole) {
  if (IsServerTime(whole)) return "<time>";
  const std::string text = WithoutTypeErrors(WithoutObjects(whole));
  static const std::regex uid("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
  static const std::regex version(
      "(esource version[^0-9]{0,6}|\\(|current: |precondition: |object meta: )[0-9]+");
  static const std::regex stamp("20[0-9]{2}-[0-9]{2}-[0-9]{2}[T ][0-9:.]+( \\+0000 UTC|Z)");
  static const std::regex address("10\\.(0|96)\\.[0-9]+\\.[0-9]+");
  static const std::regex node_port("nodePort: \\{(TCP|UDP) [0-9]+\\}");
  static const std::regex repeated_port("^Duplicate value: 3[0-9]{4}$");
  static const std::regex scheme("in scheme \"[^\"]*\"");  // a line number in the server's source
  static const std::regex generated("(gen-|Bad_|\\bg\\.)[a-z0-9]{5}\\b");
  std::string result = std::regex_replace(text, uid, "<uid>");
  result = std::regex_replace(result, generated, "$1<generated>");
  result = std::regex_replace(result, address, "<address>");
  result = std::regex_replace(result, repeated_port, "Duplicate value: <chosen>");
  result = std::regex_replace(result, scheme, "in scheme <scheme>");
  result = std::regex_replace(result, node_port, "nodePort: <chosen>");
  if (result.find("ersion") != std::string::npos) {
    result = std::regex_replace(result, version, "$1<rv>");
  }
  return result == text && text.size() < 40 ? result : std::regex_replace(result, stamp, "<time>");
}

bool IsChosenByServer(const std::string& key) {
  return key == "clusterIP" || key == "clusterIPs" || key == "nodePort" ||
         key == "healthCheckNodePort";
}

// The address allocator of kube-apiserver writes events about Services; no call creates such
// events. They also appear among the remaining items of a paged list.
bool IsServersOwnEvent(const Value& object) {
  return object.IsObject() && (object.Get("involvedObject", "kind").AsString() == "Service" ||
                               object.Get("regarding", "kind").AsString() == "Service");
}

// Such an event as a row of a Table. Its name is that of a Service and a number.
bool IsServersOwnRow(const Value& row) {
  return row.IsObject() && row.Get("cells").items().size() > 3 &&
         row.Get("cells").items()[3].AsString().starts_with("service/");
}

// Validation visits maps in any order and some parts more than once. So the causes are compared as
// a set, and the message, which repeats them, is compared up to that list.
void NormaliseCauses(Value& status) {
  const Value& all = status.Get("details", "causes");
  if (!all.IsArray()) return;
  Value::Items causes = all.items();
  std::sort(causes.begin(), causes.end(),
            [](const Value& a, const Value& b) { return json::ToJson(a) < json::ToJson(b); });
  causes.erase(std::unique(causes.begin(), causes.end()), causes.end());
  status.Mutable("details", "causes") = Value::Array(std::move(causes));
  const std::string& message = status.Get("message").AsString();
  const size_t list = message.find(" is invalid: ");
  if (list != std::string::npos) status.Set("message", message.substr(0, list + 13));
}

// Ages of objects of this run and node ports in the cells of a Table. The descriptions of columns
// are left out: the embedded server has none, and clients do not print them.
void NormaliseTable(Value& table) {
  static const std::regex age("^([0-9]+m)?([0-9]+s)?$");
  static const std::regex node_port(":3[0-9]{4}/");
  for (Value& column : table.Mutable("columnDefinitions").MutableItems()) {
    column.Erase("description");
  }
  for (Value& row : table.Mutable("rows").MutableItems()) {
    for (Value& cell : row.Mutable("cells").MutableItems()) {
      const std::string text = cell.AsString();
      if (text.empty()) continue;
      cell = std::regex_match(text, age) ? Value("<age>")
                                         : Value(std::regex_replace(text, node_port, ":<chosen>/"));
    }
  }
}

class Normaliser {
 public:
  Normaliser(const Call& call, Memory& memory)
      : call_(call), memory_(memory), dry_run_(IsDryRun(call)) {}

  Value Of(const Value& value) {
    if (value.IsString()) return NormalisedText(value.AsString());
    if (value.IsArray()) {
      Value result = Value::Array();
      for (const Value& item : value.items()) {
        if (!IsServersOwnEvent(item) && !IsServersOwnRow(item)) result.Append(Of(item));
      }
      return result;
    }
    if (!value.IsObject()) return value;
    Value result = Value::Object();
    for (const Member& member : value.members()) {
      if (IsChosenByServer(member.key)) {
        result.Set(member.key, IsNone(member.value) ? member.value : Value("<chosen>"));
      } else if (member.key == "metadata" && member.value.IsObject()) {
        result.Set(member.key, Metadata(value));
      } else {
        result.Set(member.key, Of(member.value));
      }
    }
    if (result.Get("kind").AsString() == "Status") NormaliseCauses(result);
    if (result.Get("kind").AsString() == "Table") NormaliseTable(result);
    if (result.Get("kind").AsString() == "EventList") {
      result.Mutable("metadata").Erase("remainingItemCount");
    }
    return result;
  }

 private:
  static bool IsNone(const Value& value) {
    return value.IsEmpty() || value.AsString() == "None" ||
           (value.IsArray() && value.items()[0].AsString() == "None");
  }

  Value Metadata(const Value& object) {
    const Value& metadata = object.Get("metadata");
    Value result = Value::Object();
    for (const Member& member : metadata.members()) {
      if (member.key != "managedFields") result.Set(member.key, Of(member.value));
    }
    const std::string& uid = metadata.Get("uid").AsString();
    const std::string& version = metadata.Get("resourceVersion").AsString();
    if (metadata.Find("continue") != nullptr) result.Set("continue", "<token>");
    if (uid.empty()) {
      // The resourceVersion of a list.
      if (!version.empty() && !metadata.Find("name")) result.Set("resourceVersion", "<rv>");
      return result;
    }
    const std::string key = ObjectKey(call_.collection, object);
    if (dry_run_) {
      result.Set("uid", "<uid>");
      if (!version.empty()) result.Set("resourceVersion", "<rv>");
    } else {
      result.Set("uid", memory_.UidName(key, uid));
      if (!version.empty()) result.Set("resourceVersion", memory_.VersionName(key, uid, version));
    }
    const std::string& generate = metadata.Get("generateName").AsString();
    if (!generate.empty() && metadata.Get("name").AsString().size() == generate.size() + 5) {
      result.Set("name", generate + "<generated>");
    }
    return result;
  }

  const Call& call_;
  Memory& memory_;
  const bool dry_run_;
};

std::string Shown(const Value& value) {
  std::string text = json::ToJson(value);
  if (text.size() > kLongestValue) text = text.substr(0, kLongestValue) + "...";
  return text;
}

class Comparer {
 public:
  explicit Comparer(std::string title) : title_(std::move(title)) {}

  void Add(const std::string& path, const std::string& left, const std::string& right) {
    if (lines_.size() < kMostDifferences) {
      lines_.push_back(title_ + " " + path + ": " + left + " | " + right);
    }
  }

  void Compare(const std::string& path, const Value& left, const Value& right) {
    if (left == right) return;
    if (left.IsObject() && right.IsObject()) return CompareMembers(path, left, right);
    if (left.IsArray() && right.IsArray() && left.items().size() == right.items().size()) {
      for (size_t i = 0; i < left.items().size(); ++i) {
        Compare(path + "[" + std::to_string(i) + "]", left.items()[i], right.items()[i]);
      }
      return;
    }
    Add(path, Shown(left), Shown(right));
  }

  std::vector<std::string> Take() { return std::move(lines_); }

 private:
  void CompareMembers(const std::string& path, const Value& left, const Value& right) {
    const std::string prefix = path.empty() ? "" : path + ".";
    for (const Member& member : left.members()) {
      const Value* other = right.Find(member.key);
      if (other == nullptr) {
        Add(prefix + member.key, Shown(member.value), "absent");
      } else {
        Compare(prefix + member.key, member.value, *other);
      }
    }
    for (const Member& member : right.members()) {
      if (left.Find(member.key) == nullptr) {
        Add(prefix + member.key, "absent", Shown(member.value));
      }
    }
  }

  const std::string title_;
  std::vector<std::string> lines_;
};

std::string Summary(const Answer& answer) {
  std::string text = std::to_string(answer.code);
  if (answer.body.Get("kind").AsString() == "Status") {
    text += " " + answer.body.Get("reason").AsString() + " " +
            NormalisedText(answer.body.Get("message").AsString());
  } else if (!answer.text.empty()) {
    text += " " + answer.text.substr(0, kLongestValue);
  }
  return text;
}

// Whether the only difference is that the left side stored a new version where the right side kept
// its version.
bool IsOnlyNewVersion(const Value& left, const Value& right) {
  const auto number = [](const Value& object) {
    const std::string& name = object.Get("metadata", "resourceVersion").AsString();
    return name.starts_with("rv#") ? std::stoi(name.substr(3)) : 0;
  };
  if (number(right) == 0 || number(left) != number(right) + 1) return false;
  Value same = left;
  same.Mutable("metadata").Set("resourceVersion", right.Get("metadata", "resourceVersion"));
  return same == right;
}

constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

// Bookmarks arrive at any time, except for the one after the initial events.
std::vector<Value> WithoutBookmarks(const std::vector<Value>& events, const Call& call,
                                    Memory& memory) {
  std::vector<Value> result;
  for (const Value& event : events) {
    const Value& object = event.Get("object");
    if (IsServersOwnEvent(object)) continue;
    if (event.Get("type").AsString() != "BOOKMARK") {
      result.push_back(Normalised(event, call, memory));
    } else if (const json::Value& end =
                   object.Get("metadata", "annotations").Get(kInitialEventsEnd);
               !end.IsNull()) {
      // The initial events arrive in any order. The rest of the bookmark's object is empty, in
      // different representations.
      std::sort(result.begin(), result.end(),
                [](const Value& a, const Value& b) { return json::ToJson(a) < json::ToJson(b); });
      result.push_back(end);
    }
  }
  return result;
}

}  // namespace

Value Normalised(const Value& value, const Call& call, Memory& memory) {
  return Normaliser(call, memory).Of(value);
}

std::vector<std::string> Differences(const Call& call, const Answer& left, Memory& left_memory,
                                     const Answer& right, Memory& right_memory) {
  Comparer comparer(call.title);
  if (left.code != right.code) {
    comparer.Add("code", Summary(left), Summary(right));
    return comparer.Take();
  }
  if (left.content_type != right.content_type) {
    comparer.Add("content type", left.content_type, right.content_type);
  }
  if (left.warning != right.warning) {
    comparer.Add("warning of " + std::to_string(left.code), left.warning, right.warning);
  }
  if (left.text != right.text) {
    comparer.Add("text", left.text.substr(0, kLongestValue), right.text.substr(0, kLongestValue));
  }
  const Value expected = Normalised(left.body, call, left_memory);
  const Value actual = Normalised(right.body, call, right_memory);
  if (IsOnlyNewVersion(expected, actual)) {
    comparer.Add("metadata.resourceVersion", "a new one", "unchanged");
  } else {
    comparer.Compare("", expected, actual);
  }
  return comparer.Take();
}

std::vector<std::string> EventDifferences(const Call& call, const std::vector<Value>& left,
                                          Memory& left_memory, const std::vector<Value>& right,
                                          Memory& right_memory) {
  Comparer comparer(call.title);
  const std::vector<Value> expected = WithoutBookmarks(left, call, left_memory);
  const std::vector<Value> actual = WithoutBookmarks(right, call, right_memory);
  for (size_t i = 0; i < std::max(expected.size(), actual.size()); ++i) {
    const std::string path = "event";
    if (i >= expected.size() || i >= actual.size()) {
      comparer.Add(path, i < expected.size() ? Shown(expected[i]) : "absent",
                   i < actual.size() ? Shown(actual[i]) : "absent");
      break;
    }
    if (expected[i] == actual[i]) continue;
    comparer.Compare(path, expected[i], actual[i]);
    break;
  }
  return comparer.Take();
}

}  // namespace capstan::differential
