#include "memory.h"

#include <algorithm>
#include <utility>

namespace capstan::differential {
namespace {

size_t IndexOf(std::vector<std::string>& known, const std::string& value) {
  const auto found = std::find(known.begin(), known.end(), value);
  if (found != known.end()) return static_cast<size_t>(found - known.begin()) + 1;
  known.push_back(value);
  return known.size();
}

}  // namespace

std::string ObjectKey(std::string_view collection, const json::Value& object) {
  const json::Value& metadata = object.Get("metadata");
  return std::string(collection.substr(0, collection.find('/'))) + "/" +
         metadata.Get("namespace").AsString() + "/" + metadata.Get("name").AsString();
}

bool IsDryRun(const Call& call) {
  return call.target.find("dryRun=All") != std::string::npos ||
         call.body.find("\"dryRun\":[\"All\"]") != std::string::npos;
}

void Memory::Learn(const Call& call, const Answer& answer) {
  if (answer.code >= 300 || !answer.body.IsObject() || IsDryRun(call)) return;
  const json::Value& metadata = answer.body.Get("metadata");
  if (answer.body.Get("items").IsArray()) {
    KnownList& list = lists_[call.collection];
    list.version = metadata.Get("resourceVersion").AsString();
    list.continue_token = metadata.Get("continue").AsString();
    return;
  }
  if (!metadata.Get("uid").IsString()) return;
  const bool scale = answer.body.Get("kind").AsString() == "Scale";
  LearnObject(ObjectKey(call.collection, answer.body), answer.body, !scale);
}

void Memory::LearnObject(const std::string& object, const json::Value& value, bool whole) {
  Known& known = objects_[object];
  const json::Value& metadata = value.Get("metadata");
  const std::string& uid = metadata.Get("uid").AsString();
  known.newest_version = metadata.Get("resourceVersion").AsString();
  if (known.uids.empty() || known.uids.back() != uid) known.first_version = known.newest_version;
  IndexOf(known.uids, uid);
  IndexOf(known.versions[uid], known.newest_version);
  if (whole) known.last = value;
}

void Memory::Forget(std::string_view collection) {
  const std::string prefix = std::string(collection) + "/";
  std::erase_if(objects_, [&](const auto& entry) { return entry.first.starts_with(prefix); });
}

json::Value Memory::LastSeen(const std::string& object) const {
  const auto found = objects_.find(object);
  return found == objects_.end() ? json::Value() : found->second.last;
}

std::string Memory::Resolve(std::string text) const {
  size_t start = 0;
  while ((start = text.find("{{", start)) != std::string::npos) {
    const size_t end = text.find("}}", start);
    const size_t space = text.find(' ', start);
    if (end == std::string::npos || space > end) break;
    const std::string what = text.substr(start + 2, space - start - 2);
    const std::string of = text.substr(space + 1, end - space - 1);
    std::string value;
    if (what == "list" || what == "continue") {
      const auto list = lists_.find(of);
      if (list != lists_.end()) {
        value = what == "list" ? list->second.version : list->second.continue_token;
      }
    } else if (const auto known = objects_.find(of); known != objects_.end()) {
      if (what == "rv") value = known->second.newest_version;
      if (what == "old") value = known->second.first_version;
      if (what == "uid" && !known->second.uids.empty()) value = known->second.uids.back();
    }
    text.replace(start, end + 2 - start, value);
    start += value.size();
  }
  return text;
}

std::string Memory::UidName(const std::string& object, const std::string& uid) {
  return "uid#" + std::to_string(IndexOf(objects_[object].uids, uid));
}

std::string Memory::VersionName(const std::string& object, const std::string& uid,
                                const std::string& version) {
  return "rv#" + std::to_string(IndexOf(objects_[object].versions[uid], version));
}

}  // namespace capstan::differential
