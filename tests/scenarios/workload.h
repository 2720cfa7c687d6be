#pragma once

#include <string>

namespace capstan::scenarios {

// The variable parts of the Deployment "web" of a test. Its pods have the label app=web.
struct Workload {
  int replicas = 3;
  std::string image = "example.com/web:1";
  std::string strategy = "{}";  // JSON
  std::string more_spec = {};   // members of the Deployment's spec, each followed by a comma
  std::string pod_spec = {};    // members of the pod's spec, likewise
  std::string name = "web";
  std::string app = {};  // the label of its pods; "" = the name

  std::string ToJson() const;
};

// A ReplicaSet with the label app=APP. Its pods have the labels app=APP and from=NAME.
std::string ReplicaSetJson(const std::string& name, const std::string& app, int replicas);
// A pod with these labels, a JSON object.
std::string PodJson(const std::string& name, const std::string& labels);

// The strategic merge patch that sets the container's image.
std::string ImagePatch(const std::string& image);

}  // namespace capstan::scenarios
