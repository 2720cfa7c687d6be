#pragma once

// A vector: the state of the cluster before and after one sync of a reference controller.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/api/meta_v1.h>
#include <capstan/api/time.h>

#include "json/value.h"

namespace capstan::vectors {

// Objects as stored by the API server, by name.
using Objects = std::map<NamespacedName, json::Value>;
struct State {
  Objects deployments = {};
  Objects replica_sets = {};
  Objects pods = {};
};

struct Vector {
  int64_t id = 0;
  std::string controller;  // "deployment" or "replicaset"
  NamespacedName key;
  api::Time now;
  State before;
  State after;
  std::vector<std::string> events;  // "Type Reason Message"
  std::string error;                // the error returned by the sync; "" on success
};

// Errors: Malformed with a message that says what is wrong.
Result<Vector> ParseVector(std::string line);

// Calls `visit` for each line of a gzipped file in order. Errors: NotFound; Malformed with the line
// number.
Status ReadVectors(const std::filesystem::path& file,
                   const std::function<void(const Vector& vector)>& visit);

}  // namespace capstan::vectors
