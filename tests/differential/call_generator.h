#pragma once

#include <string>

#include "call.h"
#include "dice.h"
#include "sample_objects.h"

namespace capstan::differential {

// Generates calls from a seed. Their objects have a few names in a few namespaces, so that calls
// find the objects of earlier calls. The SampleNamespaces and the resource "widgets" must exist.
class CallGenerator {
 public:
  explicit CallGenerator(uint64_t seed) : dice_(seed) {}

  Call Next();
  // A watch that starts at the current version. The previous call was a list of the same objects.
  Call NextWatch();

 private:
  struct Place {
    const SampleKind* kind = nullptr;
    std::string namespace_;  // "" for cluster-scoped resources
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
  std::string TableOption();

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
