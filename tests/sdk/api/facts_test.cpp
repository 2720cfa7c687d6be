// Checks the tables of all typed kinds against the facts of Kubernetes.

#include <gtest/gtest.h>

#include <string>

#include <capstan/api/kinds.h>

#include "fact_table.h"

namespace capstan::tests {
namespace {

// The element type of a list, or the type itself.
std::string ElementName(const std::string& type) {
  return type.rfind("[]", 0) == 0 ? type.substr(2) : type;
}

// Whether a struct member of this kind can hold values of the API type.
bool CanHold(FieldKind kind, const std::string& type) {
  switch (kind) {
    case FieldKind::kBool:
      return type == "bool";
    case FieldKind::kInt32:
      return type == "int32";
    case FieldKind::kInt64:
      return type == "int64";
    case FieldKind::kString:
    case FieldKind::kInternedString:
    case FieldKind::kUid:
      return type == "string";
    case FieldKind::kTime:
      return type == "time";
    case FieldKind::kMicroTime:
      return type == "microtime";
    case FieldKind::kIntOrString:
      return type == "intOrString";
    case FieldKind::kStringMap:
      return type == "map[string]string" || type == "map[string]quantity";
    case FieldKind::kRawJson:
      return true;
    case FieldKind::kObject:
      return FactTable::Get().FindType(type) != nullptr;
    case FieldKind::kUnknownMembers:
      break;
  }
  return false;
}

void ExpectFacts(const TypeDescriptor& type, const std::string& name, const std::string& at);

void ExpectFact(const FieldDescriptor& field, const FieldFact& fact, const std::string& at) {
  EXPECT_EQ(field.number, fact.number) << at;
  EXPECT_EQ(field.within, fact.within) << at;
  if (field.kind != FieldKind::kRawJson) {
    EXPECT_EQ(field.shape == FieldShape::kList, fact.type.rfind("[]", 0) == 0)
        << at << " is " << fact.type;
  }
  const std::string element = ElementName(fact.type);
  EXPECT_TRUE(CanHold(field.kind, element)) << at << " is " << fact.type;
  if (field.shape == FieldShape::kOptional) {
    EXPECT_EQ(fact.presence, "") << at << ": an optional would keep a zero that Kubernetes drops";
  }
  if ((field.flags & kAlwaysEncode) != 0) {
    EXPECT_TRUE(fact.presence == "always" || fact.presence == "null")
        << at << " is left out when zero";
  }
  if (field.kind == FieldKind::kObject) ExpectFacts(field.nested(), element, at + ".");
}

void ExpectFacts(const TypeDescriptor& type, const std::string& name, const std::string& at) {
  const TypeFact* facts = FactTable::Get().FindType(name);
  ASSERT_NE(facts, nullptr) << at << ": no type " << name;
  for (uint32_t i = 0; i < type.field_count; ++i) {
    const FieldDescriptor& field = type.fields[i];
    if (field.kind == FieldKind::kUnknownMembers) continue;
    const auto fact = facts->fields.find(field.json);
    if (fact == facts->fields.end())
      ADD_FAILURE() << at << field.json << " is no field of " << name;
    else
      ExpectFact(field, fact->second, at + field.json);
  }
}

class EveryKind : public ::testing::TestWithParam<const TypeDescriptor*> {};

TEST_P(EveryKind, IsAResourceOfKubernetes) {
  const ResourceInfo& info = *GetParam()->resource;
  const ResourceFact* fact = FactTable::Get().FindResource(info.ApiVersion() + " " + info.resource);
  ASSERT_NE(fact, nullptr);
  EXPECT_EQ(fact->kind, info.kind);
  EXPECT_EQ(fact->namespaced, info.namespaced);
}

TEST_P(EveryKind, HasTheNamesNumbersAndTypesOfKubernetes) {
  const ResourceInfo& info = *GetParam()->resource;
  const std::string type = FactTable::Get().TypeOfKind(info.ApiVersion(), info.kind);
  ExpectFacts(*GetParam(), type, std::string(info.kind) + ".");
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryKind,
                         ::testing::ValuesIn(TypedKinds().begin(), TypedKinds().end()),
                         [](const auto& info) {
                           std::string name = info.param->name;
                           return name.substr(name.rfind(':') + 1);
                         });

}  // namespace
}  // namespace capstan::tests
