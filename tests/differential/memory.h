#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "call.h"
#include "json/value.h"

namespace capstan::differential {

// The state of one server's objects as seen in its answers. Fills in the placeholders of calls.
// Maps values chosen by the server (uids, resourceVersions) to names that are the same for all
// servers with the same behaviour.
class Memory {
 public:
  void Learn(const Call& call, const Answer& answer);
  void Forget(std::string_view collection);

  std::string Resolve(std::string text) const;
  // Null when the object was not seen.
  json::Value LastSeen(const std::string& object) const;

  // "uid#1" for the first uid of the object `object`, and "rv#2" for the second resourceVersion
  // seen with that uid.
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

// "pods/NS/NAME" for an object in the collection "pods/NS" or "pods/" (all namespaces).
std::string ObjectKey(std::string_view collection, const json::Value& object);
bool IsDryRun(const Call& call);

}  // namespace capstan::differential
