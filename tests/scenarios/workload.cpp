#include "workload.h"

namespace capstan::scenarios {

std::string Workload::ToJson() const {
  const std::string labels = R"({"app":")" + name + R"("})";
  return R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":")" + name +
         R"("},"spec":{)" + more_spec + R"("replicas":)" + std::to_string(replicas) +
         R"(,"selector":{"matchLabels":)" + labels + R"(},"strategy":)" + strategy +
         R"(,"template":{"metadata":{"labels":)" + labels + R"(},"spec":{)" + pod_spec +
         R"("containers":[{"name":"web","image":")" + image + R"("}]}}}})";
}

std::string ImagePatch(const std::string& image) {
  return R"({"spec":{"template":{"spec":{"containers":[{"name":"web","image":")" + image +
         R"("}]}}}})";
}

}  // namespace capstan::scenarios
