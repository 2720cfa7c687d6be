// Rows of Events.

#include <string>
#include <utility>

#include "apiserver/print/human_duration.h"
#include "apiserver/print/rows.h"
#include "base/text/ascii.h"

namespace capstan::testing::server {
namespace {

// core/v1 and events.k8s.io/v1 name the same fields differently.
const json::Value& Either(const json::Value& object, std::string_view a, std::string_view b) {
  const json::Value& value = object.Get(a);
  return value.IsNull() ? object.Get(b) : value;
}

std::string EventTarget(const json::Value& regarding) {
  std::string text = text::Lower(regarding.Get("kind").AsString());
  const std::string& name = regarding.Get("name").AsString();
  return name.empty() ? text : text + "/" + name;
}

std::string EventSource(const json::Value& event) {
  const json::Value& source = Either(event, "source", "deprecatedSource");
  const auto first = [](const json::Value& a, const json::Value& b) {
    return a.IsEmpty() ? b.AsString() : a.AsString();
  };
  const std::string component =
      first(source.Get("component"), Either(event, "reportingComponent", "reportingController"));
  const std::string host = first(source.Get("host"), event.Get("reportingInstance"));
  return host.empty() ? component : component + ", " + host;
}

}  // namespace

TableRow PrintEvent(const json::Value& object, WallTime now) {
  const json::Value& first_time = Either(object, "firstTimestamp", "deprecatedFirstTimestamp");
  const json::Value& last_time = Either(object, "lastTimestamp", "deprecatedLastTimestamp");
  const json::Value& series = object.Get("series");
  const json::Value& regarding = Either(object, "involvedObject", "regarding");
  const std::string first = AgeOf(first_time.IsEmpty() ? object.Get("eventTime") : first_time, now);
  std::string last = last_time.IsEmpty() ? first : AgeOf(last_time, now);
  int64_t count = Either(object, "count", "deprecatedCount").AsInteger();
  if (series.IsObject()) {
    last = AgeOf(series.Get("lastObservedTime"), now);
    count = series.Get("count").AsInteger();
  } else if (count == 0) {
    count = 1;
  }
  return {{std::move(last), object.Get("type").AsString(), object.Get("reason").AsString(),
           EventTarget(regarding), regarding.Get("fieldPath").AsString(), EventSource(object),
           std::string(text::Trimmed(Either(object, "message", "note").AsString(), " \t\r\n\v\f")),
           first, count, NameOf(object)}};
}

}  // namespace capstan::testing::server
