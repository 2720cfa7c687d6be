#include "workload.h"

namespace capstan::scenarios {

std::string Workload::ToJson() const {
  const std::string labels = R"({"app":")" + (app.empty() ? name : app) + R"("})";
  return R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":")" + name +
         R"("},"spec":{)" + more_spec + R"("replicas":)" + std::to_string(replicas) +
         R"(,"selector":{"matchLabels":)" + labels + R"(},"strategy":)" + strategy +
         R"(,"template":{"metadata":{"labels":)" + labels + R"(},"spec":{)" + pod_spec +
         R"("containers":[{"name":"web","image":")" + image + R"("}]}}}})";
}

std::string ReplicaSetJson(const std::string& name, const std::string& app, int replicas) {
  const std::string labels = R"({"app":")" + app + R"(","from":")" + name + R"("})";
  return R"({"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":")" + name +
         R"(","labels":{"app":")" + app + R"("}},"spec":{"replicas":)" + std::to_string(replicas) +
         R"(,"selector":{"matchLabels":)" + labels + R"(},"template":{"metadata":{"labels":)" +
         labels + R"(},"spec":{"containers":[{"name":"web","image":"example.com/stray:1"}]}}}})";
}

std::string PodJson(const std::string& name, const std::string& labels) {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name + R"(","labels":)" +
         labels + R"(},"spec":{"containers":[{"name":"web","image":"example.com/stray:1"}]}})";
}

std::string ImagePatch(const std::string& image) {
  return R"({"spec":{"template":{"spec":{"containers":[{"name":"web","image":")" + image +
         R"("}]}}}})";
}

}  // namespace capstan::scenarios
