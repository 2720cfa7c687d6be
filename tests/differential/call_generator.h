#pragma once

#include <string>

#include "call.h"
#include "dice.h"
#include "sample_objects.h"

namespace capstan::differential {

// Makes calls by a seed. Their objects have a few names in a few namespaces, so that calls meet
// what earlier calls left. The namespaces diff-a and diff-b must be there, and the resource
// "widgets".
class CallGenerator {
 public:
  explicit CallGenerator(uint64_t seed) : dice_(seed) {}

  Call Next();
  // A watch that follows what happens from now on: a list of the same came just before.
  Call NextWatch();

 private:
  struct Place {
    const SampleKind* kind = nullptr;
    std::string namespace_;  // "" where there is none
    std::string name;
    std::string collection_path;  // "/api/v1/namespaces/diff-a/pods"
    std::string ObjectPath() const { return collection_path + "/" + name; }
  };

  Place RandomPlace();
  Call CallOf(const Place& place, Call::Effect effect, std::string method,
              std::string subresource = "", bool about_one = true);
  void SetBody(Call& call, const json::Value& object);
  std::string WriteOptions();
  std::string Selector();

  Call Create();
  Call Update();
  Call Patch();
  Call Apply();
  Call Delete();
  Call DeleteCollection();
  Call Get();
  Call List();
  Call Status();
  Call Scale();
  Call PodSubresource();
  Call Odd();

  Dice dice_;
};

}  // namespace capstan::differential
