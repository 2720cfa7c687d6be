#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "call.h"
#include "json/value.h"

namespace capstan::differential {

// What one server has told of its objects: fills in the placeholders of calls, and gives what the
// server chose itself (uids, resourceVersions) names that are the same for every server that does
// the same.
class Memory {
 public:
  void Learn(const Call& call, const Answer& answer);
  void Forget(std::string_view collection);

  std::string Resolve(std::string text) const;
  // Null when it was not seen.
  json::Value LastSeen(const std::string& object) const;

  // "uid#1" for the first that the name `object` had, and "rv#2" for the second resourceVersion
  // that was seen with that uid.
  std::string UidName(const std::string& object, const std::string& uid);
  std::string VersionName(const std::string& object, const std::string& uid,
                          const std::string& version);

 private:
  struct Known {
    std::vector<std::string> uids;
    std::map<std::string, std::vector<std::string>> versions;  // by uid
    std::string newest_version, first_version;
    json::Value last;
  };
  struct KnownList {
    std::string version, continue_token;
  };
  void LearnObject(const std::string& object, const json::Value& value, bool whole);

  std::map<std::string, Known> objects_;
  std::map<std::string, KnownList> lists_;
};

// "pods/NS/NAME" of an object in a collection "pods/NS" or "pods/" (all namespaces).
std::string ObjectKey(std::string_view collection, const json::Value& object);
bool IsDryRun(const Call& call);

}  // namespace capstan::differential
