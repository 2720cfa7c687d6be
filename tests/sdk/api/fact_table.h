#pragma once

// What Kubernetes says about the fields of its built-in kinds: the fact table that ./dev api-facts
// makes (sdk/testing/apiserver/schema/facts; its head describes its form).

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace capstan::tests {

struct FieldFact {
  std::string type;      // "[]core/v1.Container"
  uint16_t number = 0;   // in protobuf; 0 = none
  uint16_t within = 0;   // the number of the inlined message that it is in; 0 = none
  std::string presence;  // "omit", "always", "null", or "" when a zero value is kept
};

struct TypeFact {
  bool is_kind = false;
  std::map<std::string, FieldFact, std::less<>> fields;
};

struct ResourceFact {
  std::string kind;
  bool namespaced = false;
};

class FactTable {
 public:
  // That of the Kubernetes version whose API Capstan knows.
  static const FactTable& Get();

  // `type` is "core/v1.PodSpec". Null when there is none.
  const TypeFact* FindType(std::string_view type) const;
  // The type of a kind: "apps/v1" and "Deployment" give "apps/v1.Deployment".
  std::string TypeOfKind(const std::string& api_version, const std::string& kind) const;
  // `resource` is "apps/v1 deployments". Null when there is none.
  const ResourceFact* FindResource(std::string_view resource) const;

 private:
  void Read(const std::vector<std::string>& words, bool is_field);

  std::map<std::string, TypeFact, std::less<>> types_;
  std::map<std::string, std::string, std::less<>> kinds_;  // "apps/v1 Deployment" -> type
  std::map<std::string, ResourceFact, std::less<>> resources_;
  std::string package_;
  TypeFact* current_ = nullptr;
};

}  // namespace capstan::tests
