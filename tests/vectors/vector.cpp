#include "vector.h"

#include <Poco/InflatingStream.h>

#include <fstream>
#include <istream>
#include <utility>

namespace capstan::vectors {
namespace {

using json::Value;

Status Wrong(std::string_view what) { return Status::Malformed(std::string(what)); }

Result<NamespacedName> ParseKey(const std::string& text) {
  const size_t slash = text.find('/');
  if (slash == 0 || slash == std::string::npos || slash + 1 == text.size()) {
    return Wrong("key: must be namespace/name");
  }
  return NamespacedName{text.substr(0, slash), text.substr(slash + 1)};
}

Status ParseObjects(const Value& state, std::string_view list, Objects& objects) {
  const Value& items = state.Get(list);
  if (!items.IsNull() && !items.IsArray()) return Wrong(std::string(list) + ": must be a list");
  for (const Value& object : items.items()) {
    const std::string& name = object.Get("metadata", "name").AsString();
    const std::string& in = object.Get("metadata", "namespace").AsString();
    if (name.empty() || in.empty()) {
      return Wrong(std::string(list) + ": an object has no name or namespace");
    }
    if (!objects.emplace(NamespacedName{in, name}, object).second) {
      return Wrong(std::string(list) + ": " + name + " appears twice");
    }
  }
  return Status::Ok();
}

Status ParseState(const Value& line, std::string_view name, State& state) {
  const Value& value = line.Get(name);
  if (!value.IsObject()) return Wrong(std::string(name) + ": must be an object");
  for (const auto& [list, objects] :
       {std::pair("deployments", &state.deployments), std::pair("replicaSets", &state.replica_sets),
        std::pair("pods", &state.pods)}) {
    if (Status status = ParseObjects(value, list, *objects); !status.ok()) {
      return status.WithContext(name);
    }
  }
  return Status::Ok();
}

}  // namespace

Result<Vector> ParseVector(std::string line) {
  const auto parsed = json::ParseValue(std::move(line));
  if (!parsed) return parsed.status();
  const Value& value = parsed->value;
  Vector vector;
  if (!value.Get("id").IsInteger()) return Wrong("id: must be an integer");
  vector.id = value.Get("id").AsInteger();
  vector.controller = value.Get("controller").AsString();
  if (vector.controller != "deployment" && vector.controller != "replicaset") {
    return Wrong("controller: must be deployment or replicaset");
  }
  auto key = ParseKey(value.Get("key").AsString());
  if (!key) return key.status();
  vector.key = *std::move(key);
  const auto now = api::Time::Parse(value.Get("now").AsString());
  if (!now || now->IsZero()) return Wrong("now: must be a time");
  vector.now = *now;
  if (Status status = ParseState(value, "before", vector.before); !status.ok()) return status;
  if (Status status = ParseState(value, "after", vector.after); !status.ok()) return status;
  for (const Value& event : value.Get("events").items()) {
    if (!event.IsString()) return Wrong("events: must be strings");
    vector.events.push_back(event.AsString());
  }
  vector.error = value.Get("error").AsString();
  return vector;
}

Status ReadVectors(const std::filesystem::path& file,
                   const std::function<void(const Vector& vector)>& visit) {
  std::ifstream packed(file, std::ios::binary);
  if (!packed) return Status(StatusReason::kNotFound, "cannot read " + file.string());
  Poco::InflatingInputStream lines(packed, Poco::InflatingStreamBuf::STREAM_GZIP);
  size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const Result<Vector> vector = ParseVector(std::move(line));
    if (!vector) {
      return vector.status().WithContext(file.string() + ", line " + std::to_string(number));
    }
    visit(*vector);
  }
  if (lines.bad()) return Status::Malformed(file.string() + " is damaged");
  return Status::Ok();
}

}  // namespace capstan::vectors
